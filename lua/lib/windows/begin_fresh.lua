-- begin_fresh: takes the rolling windows of a new target, of which no base board exists, for whole, and notes that nothing of it was
-- recorded that can be undone.
local function begin_fresh(c)
  for _, window in ipairs(c.windows) do
    local current = period_number(window.unit, c, c.week_starts_on)
    local keys = { window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1) }
    for number = current - window.length + 1, current + 1 do
      keys[#keys + 1] = period_key(c.board, window.unit, number)
    end
    if redis.call('EXISTS', unpack(keys)) == 0 then
      window.is_fresh, window.said = true, 'whole ' .. current
    end
  end
  if is_new_target(c) then
    c.kept_buckets, c.new_buckets = ' ', ' '
  end
end
