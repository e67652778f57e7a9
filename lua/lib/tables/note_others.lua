-- note_others: notes what the configuration counted that the state tells of, and this one does not, for keep_clock to write: its decaying
-- windows, and the units that it keeps longer, with for how long ("h:0000604800 hot:half-life:-:21600000:0"). What was added there is taken
-- back there, see want_recorded. Its rolling windows are unmarked, since they miss what is counted now.
local function note_others(c)
  local MOST, counted, own, words, has = 32, c.kept_counts or '', c.units .. c.retention .. ' ' .. c.decaying .. ' ', {}, {}
  local function add(word)
    if not has[word] then
      has[word], words[#words + 1] = true, word
    end
  end
  local units, retention = string.match(counted, '^(%a*)(%d*)')
  for i = 1, #units do
    local unit, kept = string.sub(units, i, i), string.sub(retention, i * 10 - 9, i * 10)
    local index = string.find(c.units, unit, 1, true)
    local own_kept = index and tonumber(string.sub(c.retention, index * 10 - 9, index * 10))
    if not index or own_kept > 0 and (tonumber(kept) == 0 or tonumber(kept) > own_kept) then add(unit .. ':' .. kept) end
  end
  for word in string.gmatch(counted, '[^:%s]+:[%a-]+:[%a-]:[%d.e-]+:%d+') do
    if not string.find(own, ' ' .. word .. ' ', 1, true) then add(word) end
  end
  for word in string.gmatch(c.others or '', '%S+') do
    if #words < MOST then add(word) end
  end
  local text = table.concat(words, ' ')
  if text ~= (c.others or '') then
    c.others, c.new_others = text, text
  end
  for name, unit, length in string.gmatch(counted, ' ([^:%s]+):(%a):(%d+)') do
    local is_own = string.find(c.rolling .. ' ', string.format(' %s:%s:%s ', name, unit, length), 1, true)
    if not is_own then c.broken[#c.broken + 1] = { { name = name }, period_number(unit, c, c.week_starts_on) } end
  end
end
