-- note_dropped: notes that members leave an archived period, c.members, of whom some had `scores`. What was noted of them before goes, so that nobody
-- archives them as they were.
local function note_dropped(c, key, scores)
  local period, fields = archived_of(c, key), {}
  if not period then return end
  local call, behind = redis.call, behind_key(key)
  local noted = call('HMGET', behind, '\0', unpack(c.members))
  for i, name in ipairs(c.members) do
    if scores[i] or noted[i + 1] then
      fields[#fields + 1], fields[#fields + 2] = name, add_change(nil, c.clock.now_us, 0)
    end
  end
  call('HDEL', behind .. ':taken', unpack(c.members))
  if fields[1] then put_behind(c.board, period, fields, not noted[1], c.clock.now_us, 'erased') end
end
