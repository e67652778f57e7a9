-- list_base: a state's list of made base boards with one more: " 20771 20772 ".
local function list_base(list, number)
  if string.find(list, ' ' .. number .. ' ', 1, true) then return list end
  return (list == '' and ' ' or list) .. number .. ' '
end
