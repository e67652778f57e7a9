-- bases_exist: whether every base board exists that was made (see the state's made:UNIT) of `length` periods, the last of which is
-- `last`.
local function bases_exist(board, unit, last, length, made)
  local keys = {}
  for number in string.gmatch(made or '', '%d+') do
    number = tonumber(number)
    if number > last - length and number <= last then keys[#keys + 1] = period_key(board, unit, number) end
  end
  return #keys == 0 or redis.call('EXISTS', unpack(keys)) == #keys
end
