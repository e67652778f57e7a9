-- read_since: since when what was done to an item that is becoming another one counts, and what was done to that, in milliseconds. What was
-- recorded before is gone with a removal; 0 where there was none.
local function read_since(c, old)
  local since = redis.call('HGET', moved_key(c.board), since_field(old)) or ''
  local own, other = string.match(since, '^(%d+) (%d+)$')
  return { tonumber(own) or 0, tonumber(other) or 0 }
end
