-- bring_marks: lets a part of what was done once in a period to an item count as done to what it became. A mark is a digest of who did it,
-- and what. Answers the place to go on from: the set's number among mark_keys, and where the scan of it is; nil when none is left.
--
-- A cursor of SSCAN means nothing to another process, so with one the scan of that set begins anew.
local function bring_marks(c, place)
  local WHO, call, keys = 16, redis.call, mark_keys(c)
  local at, cursor, run = string.match(place, '^(%d+) (%d+) ?(%w*)$')
  at = tonumber(at)
  if cursor ~= '0' and run ~= run_id() then cursor = '0' end
  while c.left > 0 and at <= #keys do
    local reply, come, gone = call('SSCAN', keys[at], cursor, 'COUNT', 500), {}, {}
    for _, mark in ipairs(reply[2]) do
      local becomes = c.whats[string.sub(mark, WHO + 1)]
      if becomes then
        gone[#gone + 1], come[#come + 1] = mark, string.sub(mark, 1, WHO) .. becomes
      end
    end
    -- A set that is emptied first would lose its expiry.
    if #come > 0 then
      call('SADD', keys[at], unpack(come))
      call('SREM', keys[at], unpack(gone))
    end
    cursor, c.left = reply[1], c.left - #reply[2] - 5
    if cursor == '0' then at = at + 1 end
  end
  if at > #keys then return nil end
  return at .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end
