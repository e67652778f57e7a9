-- run_id: names the process of the server: the cursors of its scans mean nothing to another one.
local function run_id() return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') end
