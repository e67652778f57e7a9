-- forget_bases: a list of made base boards without those that no rolling window holds any more, in order.
local function forget_bases(c, unit, list)
  local longest, numbers = 0, {}
  for _, window in ipairs(c.windows) do
    if window.unit == unit then longest = math.max(longest, window.length) end
  end
  local current = period_number(unit, c, c.week_starts_on)
  for number in string.gmatch(list, '%d+') do
    number = tonumber(number)
    if number > current - longest - 1 then numbers[#numbers + 1] = number end
  end
  table.sort(numbers)
  return ' ' .. table.concat(numbers, ' ') .. ' '
end
