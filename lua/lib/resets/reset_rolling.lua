-- reset_rolling: begins the rolling windows anew whose base periods were reset, and answers the names of those that are incomplete until they are
-- repaired, since they have others left.
local function reset_rolling(c, rolling, is_real)
  local rebuilt = {}
  for name, unit, length in string.gmatch(rolling, '([^:%s]+):(%a):(%d+)') do
    local own = c.reset_periods[unit]
    if own then
      local keeps_some = own.last - own.first + 1 < tonumber(length)
      if is_real then begin_rolling(c, name, unit, tonumber(length)) end
      if keeps_some then rebuilt[#rebuilt + 1] = name end
    end
  end
  return table.concat(rebuilt, ' ')
end
