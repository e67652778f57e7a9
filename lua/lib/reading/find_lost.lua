-- find_lost: which periods of the window that find_window found have lost what their boards held, as far as the state knows: "20770=1794528000 …"
-- with the second at which each starts. Of a calendar period of which nothing is shown it also looks whether its board is gone.
local function find_lost(found)
  local asked, clock, words = found.asked, found.clock, {}
  local unit, state = asked.unit, clock.state
  local function add(number)
    words[#words + 1] = string.format('%d=%d', number, (period_bounds(clock.rows, unit, number, found.week_starts_on)) or 0)
  end
  for number in string.gmatch(state['lost:' .. unit] or '', '%-?%d+') do
    number = tonumber(number)
    if number > found.period - asked.length and number <= found.period then add(number) end
  end
  local is_made = string.find(state['made:' .. unit] or '', ' ' .. found.period .. ' ', 1, true)
  if #words == 0 and asked.kind == 'calendar' and found.is_empty and is_made then
    if redis.call('EXISTS', found.key) == 0 then add(found.period) end
  end
  return table.concat(words, ' ')
end
