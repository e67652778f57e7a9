-- load: what wrk sends and how it reports.
--
-- Arguments: none for GET, or for POST a file of JSON bodies, one a line, which are sent in turn. The first is text that no other load
-- has: with it each body gets an id of its own, instead of the one that it begins with.
-- Prints one line of JSON: requests, errors, and microseconds of the whole run and of the 50th and 99th percentile.

local ID = '^{"id":"%w+"'

function init(args)
  local unique, file = args[1], args[2]
  if not file then return end
  local bodies = {}
  for body in io.lines(file) do
    bodies[#bodies + 1] = body:gsub(ID, "")
  end
  local headers = { ["Content-Type"] = "text/plain" }
  local sent = 0
  request = function()
    sent = sent + 1
    local id = ('{"id":"%s%06x"'):format(unique, sent)
    return wrk.format("POST", nil, headers, id .. bodies[sent % #bodies + 1])
  end
end

function done(summary, latency)
  local errors = 0
  for _, count in pairs(summary.errors) do errors = errors + count end
  local report = '{"requests":%d,"errors":%d,"duration_us":%d,"p50_us":%d,"p99_us":%d}\n'
  io.write(report:format(summary.requests, errors, summary.duration, latency:percentile(50), latency:percentile(99)))
end
