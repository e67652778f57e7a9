-- board_writes: writing the boards of a batch, with what tells that they changed.
-- @use batch_parts, behind, boards, fading_boards, indexes, limits, window_notes, zones

-- store_board: writes what changed on a board: a command for the members that it has, one for those that left, and likewise for
-- each of its indexes.
local function store_board(c, board)
  if not board.is_changed then return end
  local names, was, score, come, dropped, at = c.batch.names, board.was, board.score, {}, {}, 0
  for _, member in ipairs(board.members) do
    local new = score[member]
    if new ~= was[member] then
      if new == 0 then
        dropped[#dropped + 1] = names[member]
      else
        at = at + 2
        come[at - 1], come[at] = number_arg(new), names[member]
      end
    end
  end
  -- A key that is emptied first would lose its expiry.
  if at > 0 then redis.call('ZADD', board.key, unpack(come)) end
  if #dropped > 0 then redis.call('ZREM', board.key, unpack(dropped)) end
  if board.distinct then store_distinct(board.distinct) end
  if c.indexes.ties then store_ties(c, board, dropped) end
end

-- finish_board: gives a board that a batch made its mark, so that it stays when its last member goes, and it and its indexes their
-- expiry.
local function finish_board(c, board)
  local expiry
  if board.rolls then
    local window, number = unpack(board.rolls)
    expiry = rolling_expiry(rows_of(c), window.unit, number, c.week_starts_on)
  elseif board.fading then
    expiry = decaying_expiry(c, board.fading.window, board.fading.number)
  else
    expiry = expires_at(c, c.periods[board.key].unit, c.periods[board.key].number)
  end
  redis.call('ZADD', board.key, '-inf', board.mark)
  local distinct = board.distinct or {}
  for _, key in pairs(expiry and { board.key, board.made and board.ties_key, distinct.key, distinct.holders_key } or {}) do
    if key then redis.call('EXPIREAT', key, expiry) end
  end
end

-- plan_writes: reads what the store phase must know of the keys that it will write: whether it makes a board, whether that is one of
-- before marks, how its distinct scores change, the counters of refusals, and whom it changes in archived periods.
local function plan_writes(c)
  for _, board in ipairs(c.board_list) do
    if board.is_changed and not board.rolls and not board.marked then
      board.is_unmarked, board.made = true, board_size(board) - board.growth == 0
    elseif board.rolls and not board.marked then
      board.is_unmarked, board.made = true, true
    end
    if board.is_changed and c.indexes.dense and not board.fading then load_distinct(c, board) end
  end
  for _, period in ipairs(c.period_list) do
    if period.refused > 0 then redis.call('GET', refused_key(period.key)) end
  end
  if c.archived ~= '' or c.begun then want_behind(c) end
  for _, broken in ipairs(c.broken) do
    redis.call('ZSCORE', window_key(c.board, broken[1].name, broken[2] + 1), '\0')
  end
end

-- mark_counted: notes which members a batch changed in the periods whose totals are handed on.
local function mark_counted(c)
  for _, period in ipairs(c.period_list) do
    local board = period.board
    if board and board.is_changed and string.find(c.changed, period.unit, 1, true) then
      local names = {}
      for i, member in ipairs(board.members) do
        names[i] = c.batch.names[member]
      end
      redis.call(unpack(mark_changed(c.board, period.unit, period.number, names)))
    end
  end
end

-- note_made: notes which base boards of rolling windows a batch made, for `change` to write. What the state lists already was lost.
local function note_made(c, change)
  local lists, lost = {}, {}
  for _, window in ipairs(c.windows) do
    local unit, made = window.unit, window.made
    for _, period in ipairs(c.period_list) do
      local board = period.unit == unit and period.board
      if board and board.is_changed and board.is_unmarked then
        lists[unit] = list_base(lists[unit] or made, period.number)
        if board.made and list_base(made, period.number) == made then lost[unit] = list_base(lost[unit] or '', period.number) end
      end
    end
  end
  for unit, list in pairs(lists) do
    change('made:' .. unit, forget_bases(c, unit, list))
  end
  for unit, list in pairs(lost) do
    note_lost(c, c, unit, list)
  end
end

-- store_state: writes what a batch changes in the state of its target.
local function store_state(c)
  local changes = {}
  local function change(field, value)
    changes[#changes + 1], changes[#changes + 2] = field, value
  end
  if shows_change(c) then change('changed', c.now_us) end
  if c.first_sequence then change('sequence', string.format('%d', c.first_sequence + c.batch.count)) end
  local hour = begun_hour(c)
  if hour[1] then change(hour[1], hour[2]) end
  if c.new_buckets then change('buckets', c.new_buckets) end
  if c.new_indexes then
    change('indexes', c.new_indexes)
    change('due', '')
  end
  for _, window in ipairs(c.windows) do
    if window.is_fresh then change('window:' .. window.name, window.stored) end
  end
  note_made(c, change)
  for _, period in ipairs(c.past and c.late or {}) do
    c.past = bump_past(c.past, period.unit, period.number) or c.past
    change('past', c.past)
  end
  if #changes > 0 then set_state(c.board, unpack(changes)) end
end

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
    if not index or own_kept > 0 and (tonumber(kept) == 0 or tonumber(kept) > own_kept) then add(string.format('%s:%s', unit, kept)) end
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
