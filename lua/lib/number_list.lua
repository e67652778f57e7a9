-- number_list: the numbers of a text that separates them by spaces.
local function number_list(text)
  local numbers = {}
  for number in string.gmatch(text, '%S+') do numbers[#numbers + 1] = tonumber(number) end
  return numbers
end
