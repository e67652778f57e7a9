-- upkeep_past: building past rankings that readers want.
-- @use upkeep_boards, upkeep_indexes, upkeep_scan, upkeep_windows, window_notes

-- forget_wanted: takes a past ranking from those that are wanted, so that its reader's address may want another.
local function forget_wanted(context, member)
  local by_key = wanted_by_key(context.board)
  redis.call('ZREM', wanted_key(context.board), member)
  local by = redis.call('HGETALL', by_key)
  for i = 1, #by, 2 do
    if by[i + 1] == member then redis.call('HDEL', by_key, by[i]) end
  end
end

-- next_wanted: the past ranking that readers have wanted for longest, as { member, window, unit, length, number }; nil when there
-- is none. Those of windows that are not configured any more are dropped.
local function next_wanted(context)
  while true do
    local member = redis.call('ZRANGEBYSCORE', wanted_key(context.board), '(-inf', '+inf', 'LIMIT', 0, 1)[1]
    if not member then return nil end
    local window, unit, length, number = string.match(member, '^([^:]+):(%a):(%d+):(%d+)$')
    local is_configured = string.find(context.rolling .. ' ', string.format(' %s:%s:%s ', window, unit, length), 1, true)
    if is_configured and tonumber(number) < period_number(unit, context.clock, context.week_starts_on) then
      return { member = member, window = window, unit = unit, length = tonumber(length), number = tonumber(number) }
    end
    if context.remaining == 0 then return nil end
    forget_wanted(context, member)
  end
end

-- begin_past: begins to build a past ranking; answers its version. The state forgets those whose board has gone. A board keeps four, each with as
-- many members as the window had, and the one that was begun first leaves for the next.
local function begin_past(context, scan, key, version)
  local MOST, call, entries = 4, redis.call, {}
  context.clock.state['made:' .. context.unit] = call('HGET', state_key(context.board), 'made:' .. context.unit)
  note_missing(context, context.current - context.length + 1, context.current)
  local own = string.format('%s:%s:%d:%d:', context.window, context.unit, context.length, context.current)
  for entry, window, number in string.gmatch(context.clock.state.past or '', '(([^%s:]+):%a:%d+:(%d+):%d+)') do
    local is_own = string.sub(entry, 1, #own) == own
    if not is_own and call('EXISTS', past_key(context.board, window, number)) == 1 then entries[#entries + 1] = entry end
  end
  version = version or '1'
  while #entries >= MOST do
    local window, number = string.match(table.remove(entries, 1), '^([^:]+):%a:%d+:(%d+):')
    local dropped = past_key(context.board, window, number)
    call('UNLINK', dropped, scan_key(dropped))
    for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
      call('UNLINK', index_key(dropped, index, context.index_generation))
    end
  end
  entries[#entries + 1] = own .. version
  set_state(context.board, 'past', ' ' .. table.concat(entries, ' '))
  clear_board(context, key, context.clock.now + 3600, false)
  begin_scan(scan, 'past', version, 'ahead', context.current - context.length + 1)
  scan.total = count_bases(context, scan.stage, context.current)
  context.remaining = context.remaining - context.length
  return version
end

-- build_past: builds a part of the past ranking that readers have wanted for longest, and keeps it for an hour once it is whole.
-- A late event in its span gives it a new version: then it is begun anew. Answers the scan, the task that is next, and after how
-- many seconds to come again.
local function build_past(context)
  local call, clock, KEPT, PAUSE = redis.call, context.clock, 3600, 21600
  local wanted = next_wanted(context)
  if not wanted then return { scanned = 0, total = 0, at = 0 }, 'ready', PAUSE end
  context.window, context.unit, context.length, context.current = wanted.window, wanted.unit, wanted.length, wanted.number
  local key = past_key(context.board, context.window, context.current)
  local scan = read_scan(scan_key(key), context.owner, clock.now_ms)
  if scan.is_held or context.remaining == 0 then return scan, 'past', 0 end
  local version = past_version(clock.state.past, context.window, context.unit, context.length, context.current)
  if not version or scan.task ~= 'past' or scan.of ~= version or not call('ZSCORE', key, '\0scan') then
    version = begin_past(context, scan, key, version)
  end
  if (scan.step == 'ahead' or scan.step == 'sums') and sum_bases(context, scan, key, context.current) then scan.step = 'zeros' end
  if scan.step == 'zeros' and drop_zeros(context, key) then scan.step = 'holders' end
  local is_done = scan.step == 'holders' and (not context.is_dense or build_holders(context, key))
  expire_filled(context, key, clock.now + KEPT)
  if not is_done then
    keep_scan(context, scan, false)
    call('EXPIREAT', scan.key, clock.now + KEPT)
    return scan, 'past', 0
  end
  call('ZREM', key, '\0scan')
  call('ZADD', key, '-inf', whole_mark(version))
  show_built(context.board, clock)
  call('UNLINK', scan.key)
  forget_wanted(context, wanted.member)
  return scan, 'past', 0
end
