-- finish_periods: gives new boards of periods their mark, so that they stay when their last member goes, and their expiry. The state
-- lists base boards of rolling windows as made, so that nobody overlooks that one is gone. One that it lists already was lost.
local function finish_periods(c, made)
  local call, lists, lost = redis.call, {}, {}
  for _, period in ipairs(made) do
    local expiry = expires_at(c, period.unit, period.number)
    call('ZADD', period.key, '-inf', '\0')
    if expiry then call('EXPIREAT', period.key, expiry) end
    for _, window in ipairs(c.windows) do
      if window.unit == period.unit then
        local unit, number, before = period.unit, period.number, window.made
        lists[unit] = list_base(lists[unit] or before, number)
        if list_base(before, number) == before then lost[unit] = list_base(lost[unit] or '', number) end
      end
    end
  end
  for unit, list in pairs(lists) do
    call('HSET', state_key(c.board), 'made:' .. unit, forget_bases(c, unit, list))
  end
  for unit, list in pairs(lost) do
    note_lost(c, c, unit, list)
  end
end
