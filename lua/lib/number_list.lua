-- number_list: the finite numbers of a text that separates them by spaces.
local function number_list(text)
  local numbers = {}
  for word in string.gmatch(text, '%S+') do
    local number = tonumber(word)
    if number and number - number == 0 then numbers[#numbers + 1] = number end
  end
  return numbers
end
