-- note_merged: notes that the first of c.members becomes the second one in an archived period. The archive of both is added by who makes the
-- alias, so what is noted of the second one is from now on what both had together.
local function note_merged(c, key, both)
  local period = archived_of(c, key)
  if not period then return end
  local call, behind, now_us = redis.call, behind_key(key), c.clock.now_us
  local old, new = c.members[1], c.members[2]
  local tallies = call('HMGET', key .. ':actions', old, new)
  local had = { { tonumber(both[1]), tallies[1] or '' }, { tonumber(both[2] or 0), tallies[2] or '' } }
  local function together(noted) return sum_changes(noted, had) end
  local taken = call('HMGET', behind .. ':taken', old, new)
  if taken[1] then
    call('HDEL', behind .. ':taken', old)
    call('HSET', behind .. ':taken', new, together(taken))
  end
  local noted = call('HMGET', behind, old, new, '\0')
  local sum, said = had[1][1] + had[2][1], add_tally(had[2][2], had[1][2]) or ''
  local fields = { old, add_change(nil, now_us, 0), new, add_change(together(noted), now_us, sum, said ~= '' and said) }
  put_behind(c.board, period, fields, not noted[3], now_us, 'counted')
end
