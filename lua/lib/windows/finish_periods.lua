-- finish_periods: gives new boards of periods their mark, so that they stay when their last member goes, and their expiry. The state
-- lists base boards of rolling windows as made, so that nobody overlooks that one is gone.
local function finish_periods(c, made)
  local call, lists = redis.call, {}
  for _, period in ipairs(made) do
    local expiry = expires_at(c, period.unit, period.number)
    call('ZADD', period.key, '-inf', '\0')
    if expiry then call('EXPIREAT', period.key, expiry) end
    for _, window in ipairs(c.windows) do
      if window.unit == period.unit then lists[period.unit] = list_base(lists[period.unit] or window.made, period.number) end
    end
  end
  for unit, list in pairs(lists) do
    call('HSET', state_key(c.board), 'made:' .. unit, forget_bases(c, unit, list))
  end
end
