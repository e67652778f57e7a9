-- next_wanted: the past ranking that readers have wanted for longest, as { member, window, unit, length, number }; nil when there
-- is none. Those of windows that are not configured any more are dropped.
local function next_wanted(c)
  while true do
    local member = redis.call('ZRANGEBYSCORE', wanted_key(c.board), '(-inf', '+inf', 'LIMIT', 0, 1)[1]
    if not member then return nil end
    local window, unit, length, number = string.match(member, '^([^:]+):(%a):(%d+):(%d+)$')
    local is_configured = string.find(c.rolling .. ' ', string.format(' %s:%s:%s ', window, unit, length), 1, true)
    if is_configured and tonumber(number) < period_number(unit, c.clock, c.week_starts_on) then
      return { member = member, window = window, unit = unit, length = tonumber(length), number = tonumber(number) }
    end
    if c.left == 0 then return nil end
    forget_wanted(c, member)
  end
end
