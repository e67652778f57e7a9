-- break_returned: a rolling window that the state knows, but that was not counted until now, missed what was counted meanwhile. It is
-- unmarked, so that upkeep repairs it.
local function break_returned(c)
  for _, window in ipairs(c.windows) do
    local entry = string.format(' %s:%s:%d ', window.name, window.unit, window.length)
    if window.said ~= '' and not window.is_fresh and not string.find((c.kept_counts or entry) .. ' ', entry, 1, true) then
      window.said = 'broken'
      c.broken[#c.broken + 1] = { window, period_number(window.unit, c, c.week_starts_on) }
    end
  end
end
