-- alias_marks: what counts once of a member that becomes another one.
-- @use erasure_tracked

-- mark_keys: the keys of the sets of what counts once in a period, as once_keys lists them, and of those of visitors, which are kept for a
-- day.
local function mark_keys(context)
  local keys, day = once_keys(context), context.clock.day
  for i = 1, #keys do
    for of = day - 2, day + 1 do
      keys[#keys + 1] = once_visitors_key(keys[i], of)
    end
  end
  return keys
end

-- bring_marks: lets a part of what was done once in a period to an item count as done to what it became. A mark is a digest of who did it,
-- and what. Answers the place to go on from: the set's number among mark_keys, and where the scan of it is; nil when none is left.
--
-- A cursor of SSCAN means nothing to another process, so with one the scan of that set begins anew.
local function bring_marks(context, place)
  local WHO, call, keys = 16, redis.call, mark_keys(context)
  local at, cursor, run = string.match(place, '^(%d+) (%d+) ?(%w*)$')
  at = tonumber(at)
  if cursor ~= '0' and run ~= run_id() then cursor = '0' end
  while context.remaining > 0 and at <= #keys do
    local reply, come, dropped = call('SSCAN', keys[at], cursor, 'COUNT', 500), {}, {}
    for _, mark in ipairs(reply[2]) do
      local becomes = context.whats[string.sub(mark, WHO + 1)]
      if becomes then
        dropped[#dropped + 1], come[#come + 1] = mark, string.sub(mark, 1, WHO) .. becomes
      end
    end
    -- A set that is emptied first would lose its expiry.
    if #come > 0 then
      call('SADD', keys[at], unpack(come))
      call('SREM', keys[at], unpack(dropped))
    end
    cursor, context.remaining = reply[1], context.remaining - #reply[2] - 5
    if cursor == '0' then at = at + 1 end
  end
  if at > #keys then return nil end
  return at .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end
