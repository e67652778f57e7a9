-- once_keys: the keys of the sets of what counts once in a period, those of every period that may be there.
local function once_keys(c)
  local keys, clock = {}, c.clock
  local function current_of(unit) return period_number(unit, clock, c.week_starts_on) end
  for unit in string.gmatch('hdwmya', '%a') do
    for number = current_of(unit), current_of(unit) - periods_back(unit, c.replay_window, current_of('y')), -1 do
      keys[#keys + 1] = once_key(c.board, unit, number)
    end
  end
  return keys
end
