# Passes requests through the middleware of docs/recipes/ruby.md.
require_relative 'edgeboard'
require_relative 'middleware'

edgeboard = Edgeboard.new(ENV.fetch('WORKER'), 'demo', ENV.fetch('WRITE_TOKEN'))
app = ->(env) { [env['test.status'], { 'Content-Type' => env['test.type'] }, ['']] }
counted = CountViews.new(app, edgeboard)
JSON.parse(ENV.fetch('REQUESTS')).each do |asked|
  env = { 'REQUEST_METHOD' => asked['method'], 'PATH_INFO' => asked['path'], 'REMOTE_ADDR' => asked['address'],
          'HTTP_USER_AGENT' => asked['agent'], 'HTTP_SEC_PURPOSE' => asked['purpose'],
          'test.status' => asked['status'], 'test.type' => asked['type'] }
  raise 'not passed on' unless counted.call(env)[2] == ['']
end
edgeboard.close
