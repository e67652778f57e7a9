-- windows: whether a rolling window is whole, and making and breaking it.
-- @use zones

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

-- begin_fresh: takes the rolling windows of a new target, of which no base board exists, for whole, and notes that nothing of it was
-- recorded that can be undone.
local function begin_fresh(c)
  for _, window in ipairs(c.windows) do
    local current = period_number(window.unit, c, c.week_starts_on)
    local keys = { window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1) }
    for number = current - window.length + 1, current + 1 do
      keys[#keys + 1] = period_key(c.board, window.unit, number)
    end
    if redis.call('EXISTS', unpack(keys)) == 0 then
      window.is_fresh, window.stored = true, 'whole ' .. current
    end
  end
  if is_new_target(c) then
    c.kept_buckets, c.new_buckets = ' ', ' '
  end
end

-- next_score: what a member has on the next board of a rolling window, by what it has on the one of now, on the base board that leaves, and on
-- the one that comes, where a clock that was ahead has counted.
local function next_score(now, leaving, coming) return round_decimals(now - (leaving or 0) + (coming or 0)) end

-- begin_window: marks that a rolling board was made, and gives it its expiry.
local function begin_window(c, window, number)
  local key = window_key(c.board, window.name, number)
  redis.call('ZADD', key, '-inf', '\0')
  redis.call('EXPIREAT', key, rolling_expiry(rows_of(c), window.unit, number, c.week_starts_on))
end

-- break_window: unmarks the boards of a rolling window from the current period on, so that nobody takes them for whole and upkeep
-- repairs them.
local function break_window(board, clock, window, current)
  local mark = whole_mark(clock.generation)
  redis.call('ZREM', window_key(board, window, current), mark)
  redis.call('ZREM', window_key(board, window, current + 1), mark)
  set_state(board, 'window:' .. window, 'broken', 'due', '')
end

-- is_remade: whether an event made the current base board of a rolling window though it was made before: then it was gone.
local function is_remade(window, made)
  for _, period in ipairs(made) do
    if period.index == window.index then return string.find(window.made, ' ' .. period.number .. ' ', 1, true) ~= nil end
  end
  return false
end

-- remakes_base: whether a batch counts on a base board of a rolling window that was made before, and is gone.
local function remakes_base(c, window)
  for _, period in ipairs(c.period_list) do
    if period.unit == window.unit and period.board and not period.board.marked then
      if string.find(window.made, ' ' .. period.number .. ' ', 1, true) then return true end
    end
  end
  return false
end

-- break_holding: unmarks the rolling windows of a unit that hold a period now, see break_window, but for one, if any.
local function break_holding(context, unit, number, but)
  local current = period_number(unit, context.clock, context.week_starts_on)
  for name, of, length in string.gmatch(context.rolling, '([^:%s]+):(%a):(%d+)') do
    if of == unit and name ~= but and number > current - tonumber(length) then break_window(context.board, context.clock, name, current) end
  end
end

-- is_base_right: whether a rolling board, as loaded, is whole: it carries its mark, and none of the base boards that were read is gone.
local function is_base_right(c, window, now, leaving)
  if window.is_fresh then return true end
  return now.marked and not (leaving and not leaving.marked) and not remakes_base(c, window)
end

-- is_whole: whether the board of a rolling window's current period is right for every member: it carries the mark `marked`, its
-- window is not broken, and its base boards are there.
local function is_whole(board, clock, window, unit, length, current, marked)
  local stored = clock.state['window:' .. window] or ''
  if not marked or clock.is_behind or string.sub(stored, 1, 6) ~= 'whole ' then return false end
  return bases_exist(board, unit, current, length, clock.state['made:' .. unit])
end

-- is_new_target: whether a target without a state is a new one, and none whose state was lost: whether no board is there of the unit whose boards are
-- kept longest, as far back as actions can be undone.
local function is_new_target(c)
  local REACH, MOST = 2 * 366 * 86400, 4000
  local spans, longest, unit = { h = 3600, d = 86400, w = 7 * 86400, m = 28 * 86400, y = 365 * 86400, a = REACH }, -1, nil
  for i = 1, #c.units do
    local kept = tonumber(string.sub(c.retention, i * 10 - 9, i * 10))
    if kept == 0 or kept > REACH then kept = REACH end
    -- Only the configuration knows when seasons are.
    local unit_here = string.sub(c.units, i, i)
    if kept >= longest and unit_here ~= 's' then
      longest, unit = kept, unit_here
    end
  end
  local span = unit and (spans[unit] or select(2, unit_of(unit)))
  if not unit or longest > MOST * span then return false end
  local last, keys = period_number(unit, c, c.week_starts_on), {}
  for number = unit == 'a' and last or last - math.ceil(longest / span) - 1, unit == 'a' and last or last + 1 do
    keys[#keys + 1] = period_key(c.board, unit, number) .. (c.indexes['activity-log'] and ':actions' or '')
  end
  return redis.call('EXISTS', unpack(keys)) == 0
end
