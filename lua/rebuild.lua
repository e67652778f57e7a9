-- rebuild: has rolling windows of a board made anew of their base periods: from now on nobody takes them for whole, and upkeep repairs
-- them. It changes no score, and can be repeated at any moment.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. Unmark each window, and say that upkeep has something to do.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg windows           text    the windows, each with its unit's code: "last-7-days:d"
-- @args calendar
-- @returns OK                    it is done
-- @field now_ms          int     Unix milliseconds
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- 1. Time.
local clock, refusal = read_clock(board, zone, day_starts_at, {})
if refusal then return refusal end

-- 2. The windows.
keep_clock(board, clock)
for name, unit in string.gmatch(windows, '([^:%s]+):(%a)') do
  break_window(board, clock, name, period_number(unit, clock, week_starts_on))
end
return { 'OK', clock.now_ms }
