-- add_once: adds to c.gone what counts no more in the current periods. Visitors' marks end a day after their day.
local function add_once(c)
  local gone, day = c.gone, c.clock.day
  for unit in string.gmatch('hdwmya', '%a') do
    local number = period_number(unit, c.clock, c.week_starts_on)
    gone[#gone + 1] = once_key(c.board, unit, number)
    for of_day = day - 1, day + 1 do
      gone[#gone + 1] = once_key(c.board, unit, number, of_day)
    end
  end
end
