-- audit: notes what was done by hand in a site's audit log, or answers the last of it.
--
-- @frees memory       the oldest entry goes
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg what              text    what was done, as JSON; empty to read
-- @arg count             int     how many entries to keep, or to read
-- @returns OK                    it is done
-- @group entry                   the last entries, the latest first
-- @field at_ms           count   Unix milliseconds
-- @field what            text    what was done, as JSON

if what ~= '' then
  redis.call('XADD', audit_key(board), 'MAXLEN', count, '*', 'what', what)
  return { 'OK' }
end
local reply = { 'OK' }
for _, entry in ipairs(redis.call('XREVRANGE', audit_key(board), '+', '-', 'COUNT', count)) do
  reply[#reply + 1] = tonumber(string.match(entry[1], '^%d+'))
  reply[#reply + 1] = entry[2][2]
end
return reply
