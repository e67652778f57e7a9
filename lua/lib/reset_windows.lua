-- reset_windows: what a reset leaves of windows.
-- @use clock, erasure, groups, resets, upkeep_boards, upkeep_scan, zones

-- add_fading: adds the boards of decaying windows, as the arguments list them, to what is reset, and answers how many entries the current ones
-- have.
local function add_fading(context, fades)
  local entries = 0
  for name, kind, unit, amount, second in string.gmatch(fades, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local current = decaying_number(context, kind, unit, tonumber(amount), tonumber(second))
    for number = current - 1, current + 1 do
      local members = add_board(context, window_key(context.board, name, number))
      if number == current then entries = entries + members end
    end
    context.reset_windows[name] = true
  end
  return entries
end

-- begin_rolling: empties the boards of a rolling window whose base periods were reset. Where all of them were, it is whole, and has nobody. Else
-- it is to be repaired, with what is left.
local function begin_rolling(context, window, unit, length)
  local call, clock = redis.call, context.clock
  local current = period_number(unit, clock, context.week_starts_on)
  local key, next_key = window_key(context.board, window, current), window_key(context.board, window, current + 1)
  call('UNLINK', touched_key(context.board, window), window_key(context.board, window, 'scan'))
  for near = current, current + 1 do
    clear_board(context, window_key(context.board, window, near), rolling_expiry(clock.rows, unit, near, context.week_starts_on), true)
  end
  call('ZREM', key, '\0scan')
  call('ZREM', next_key, '\0scan')
  local is_whole_now = context.reset_periods[unit].first <= current - length + 1
  if is_whole_now then call('ZADD', key, '-inf', whole_mark(clock.generation)) end
  set_state(context.board, 'window:' .. window, is_whole_now and 'whole ' .. current or 'broken')
end

-- forget_made: takes the base boards that were reset out of the state's lists of those that were made, and of those that were lost.
local function forget_made(context)
  for unit, span in pairs(context.reset_periods) do
    local made, numbers = context.clock.state['made:' .. unit], {}
    for number in string.gmatch(made or '', '%d+') do
      if tonumber(number) < span.first or tonumber(number) > span.last then numbers[#numbers + 1] = number end
    end
    forget_lost(context.board, unit, span.first, span.last)
    if made then set_state(context.board, 'made:' .. unit, #numbers == 0 and '' or ' ' .. table.concat(numbers, ' ') .. ' ') end
  end
end

-- note_reset: the state's `resets` with what is reset now, context.reset_periods by unit { first, last } and context.reset_windows by name. An older reset
-- of a period that is reset again is forgotten, and one of a period that no configuration keeps any longer; those of
-- seasons stay.
local function note_reset(context, text)
  local entries, resets, now_ms = {}, read_resets(text or ''), context.clock.now_ms
  -- What came after the reset before is before this one, also where the clock went back a little, see parse_events.
  local latest = tonumber(string.match(text or '', '^%d+') or 0)
  if latest <= now_ms + STEP_BACK_MS then now_ms = math.max(now_ms, latest + 1) end
  local function add(unit, first, last, at) entries[#entries + 1] = string.format('%s:%d:%d:%d', unit, first, last, at) end
  for _, reset in ipairs(resets) do
    local unit, first, last, at = unpack(reset)
    local kept, span = unit == 's' and 0 or longest_kept(context, unit), context.reset_periods[unit]
    if span then last = math.min(last, span.first - 1) end
    local current = unit ~= 's' and period_number(unit, context.clock, context.week_starts_on)
    local oldest = current and kept and kept > 0 and current - periods_back(unit, kept, 0) or 0
    if kept and first <= last and last >= oldest then add(unit, first, last, at) end
  end
  for unit, span in pairs(context.reset_periods) do
    add(unit, span.first, span.last, now_ms)
  end
  for name in pairs(context.reset_windows) do
    resets.windows[name] = now_ms
  end
  for name, at in pairs(resets.windows) do
    entries[#entries + 1] = string.format('%s=%d', name, at)
  end
  table.sort(entries)
  return string.format('%d %s', now_ms, table.concat(entries, ' '))
end

-- reset_rolling: begins the rolling windows anew whose base periods were reset, and answers the names of those that are incomplete until they are
-- repaired, since they have others left.
local function reset_rolling(context, rolling, is_real)
  local rebuilt = {}
  for name, unit, length in string.gmatch(rolling, '([^:%s]+):(%a):(%d+)') do
    local span = context.reset_periods[unit]
    if span then
      local keeps_some = span.last - span.first + 1 < tonumber(length)
      if is_real then begin_rolling(context, name, unit, tonumber(length)) end
      if keeps_some then rebuilt[#rebuilt + 1] = name end
    end
  end
  return table.concat(rebuilt, ' ')
end
