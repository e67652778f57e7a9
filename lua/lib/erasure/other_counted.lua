-- other_counted: what other configurations count that the state tells of and this one does not, or keeps less long: units, retention and decaying
-- windows as the arguments list them, see note_others. In an order of its own, so that a place among their boards stays right.
local function other_counted(c)
  local state, own, kept, units, decaying = c.clock.state, {}, {}, {}, {}
  for i = 1, #c.units do
    own[string.sub(c.units, i, i)] = tonumber(string.sub(c.retention, i * 10 - 9, i * 10))
  end
  local function lasts(seconds) return seconds == 0 and math.huge or seconds end
  local function add_unit(unit, text)
    local seconds, known = lasts(tonumber(text)), kept[unit] or own[unit]
    if unit == 's' or known and lasts(known) >= seconds then return end
    if not kept[unit] then units[#units + 1] = unit end
    kept[unit] = tonumber(text)
  end
  local counted, retention = string.match(state.counts or '', '^(%a*)(%d*)')
  for i = 1, #counted do
    add_unit(string.sub(counted, i, i), string.sub(retention, i * 10 - 9, i * 10))
  end
  for unit, text in string.gmatch(' ' .. (state.others or ''), '%s(%a):(%d+)') do
    add_unit(unit, text)
  end
  local listed, seen = (state.counts or '') .. ' ' .. (state.others or ''), ' ' .. c.decaying .. ' '
  for word in string.gmatch(listed, '[^:%s]+:[%a-]+:[%a-]:[%d.e-]+:%d+') do
    if not string.find(seen, ' ' .. word .. ' ', 1, true) then
      decaying[#decaying + 1], seen = word, seen .. word .. ' '
    end
  end
  table.sort(units)
  table.sort(decaying)
  local text = ''
  for _, unit in ipairs(units) do
    text = text .. string.format('%010d', kept[unit])
  end
  return table.concat(units), text, table.concat(decaying, ' ')
end
