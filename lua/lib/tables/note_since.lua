-- note_since: finds since when the units and decaying windows of a target are counted, where others are counted than its state says,
-- for keep_clock to write. `counts` is what is counted, with the rolling windows; `since` holds the instants in seconds,
-- "h=1795176000 hot:half-life:-:21600000:0=1795176000 …", and 0 where nobody knows. What a shorter retention dropped is not counted.
local function note_since(c)
  local counts = c.units .. c.retention .. ' ' .. c.rolling .. ' ' .. c.decaying .. (c.journal and ' journal' or '')
  if c.kept_counts == counts then return end
  break_returned(c)
  local known, entries = {}, {}
  local since = ''
  if c.kept_counts then
    since, c.others = unpack(redis.call('HMGET', state_key(c.board), 'since', 'others'), 1, 2)
    note_others(c)
  else
    break_others(c)
  end
  for name, at in string.gmatch(since or '', '(%S+)=(%d+)') do
    known[name] = tonumber(at)
  end
  local first = (c.kept_counts or is_unused(c)) and c.now or 0
  local units, retention = string.match(c.kept_counts or '', '^(%a*)(%d*)')
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local index, at = string.find(units, unit, 1, true), known[unit] or first
    local kept = tonumber(string.sub(c.retention, i * 10 - 9, i * 10))
    local was_kept = index and tonumber(string.sub(retention, index * 10 - 9, index * 10)) or 0
    if at > 0 and was_kept > 0 and (kept == 0 or kept > was_kept) then at = math.max(at, c.now - was_kept) end
    entries[i] = string.format('%s=%d', unit, at)
  end
  for name in string.gmatch(c.decaying, '%S+') do
    entries[#entries + 1] = string.format('%s=%d', name, known[name] or first)
  end
  c.new_counts, c.new_since = counts, table.concat(entries, ' ')
  -- A journal is kept from the first call on that keeps it, until one comes that does not.
  local goes_on = c.kept_journal and c.kept_journal ~= '' and string.find(c.kept_counts or '', ' journal$')
  c.kept_journal = c.journal and (goes_on and c.kept_journal or c.now .. ' 0') or c.kept_journal and ''
end
