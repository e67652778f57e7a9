-- erase_once: forgets a part of what the actor that is erased did once in a period. Its marks begin with a digest of who it is. Answers
-- the place to go on from: the set's number among once_keys, and where the scan of it is; nil when none is left.
--
-- A cursor of SSCAN means nothing to another process, so with one the scan of that set begins anew.
local function erase_once(c, place)
  local call, keys, MEMBERS = redis.call, once_keys(c), 2000
  local at, cursor, run = string.match(place, '^(%d+) (%d+) ?(%w*)$')
  at, cursor = tonumber(at), cursor
  if cursor ~= '0' and run ~= run_id() then cursor = '0' end
  local prefix, left = once_digest('actor:' .. c.actor, ''), MEMBERS
  while left > 0 and at <= #keys do
    local reply = call('SSCAN', keys[at], cursor, 'COUNT', 500)
    local own = {}
    for _, mark in ipairs(reply[2]) do
      if string.sub(mark, 1, #prefix) == prefix then own[#own + 1] = mark end
    end
    if #own > 0 then call('SREM', keys[at], unpack(own)) end
    cursor, left = reply[1], left - #reply[2] - 5
    if cursor == '0' then at = at + 1 end
  end
  if at > #keys then return nil end
  return at .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end
