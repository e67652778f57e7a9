-- upkeep_scan: how far a scan of a board is, who is at it, and when it built something.

-- add_more: adds to the scores of members those that they have on the boards that are scanned together with theirs. Redis adds up who is on all of
-- these, several times faster than it tells scores one by one. context.missing is the part of the last members that was not: where that is half
-- of them or more, nobody is looked for so.
local function add_more(context, scan, members, scores)
  local call, first, last, missed, sums = redis.call, scan.stage + 1, scan.ahead, {}, {}
  if last < first then return end
  if (context.missing or 0) < 0.5 then
    local part, set, asked, weights = window_key(context.board, context.window, 'part'), {}, { last - first + 2 }, { 'WEIGHTS', 0 }
    for i = 1, #members do
      set[2 * i - 1], set[2 * i] = 0, members[i]
    end
    asked[2] = part
    for number = first, last do
      asked[#asked + 1], weights[#weights + 1] = period_key(context.board, context.unit, number), 1
    end
    for i = 1, #weights do
      asked[#asked + 1] = weights[i]
    end
    asked[#asked + 1] = 'WITHSCORES'
    call('ZADD', part, unpack(set))
    local found = call('ZINTER', unpack(asked))
    call('UNLINK', part)
    for i = 1, #found, 2 do
      sums[found[i]] = found[i + 1]
    end
  end
  local slots = {}
  for i = 1, #members do
    local sum = sums[members[i]]
    if sum then
      scores[i] = scores[i] + sum
    else
      missed[#missed + 1], slots[#slots + 1] = members[i], i
    end
  end
  for number = #missed > 0 and first or last + 1, last do
    local more = call('ZMSCORE', period_key(context.board, context.unit, number), unpack(missed))
    for i = 1, #missed do
      if more[i] then scores[slots[i]] = scores[slots[i]] + more[i] end
    end
  end
  context.missing = #missed / #members
end

-- begin_scan: begins a scan anew. `of` says what it is a scan of: with another one a scan does not go on.
local function begin_scan(scan, task, of, step, stage)
  scan.task, scan.of, scan.step, scan.stage, scan.ahead = task, of, step, stage, stage
  scan.place, scan.scanned, scan.total = '', 0, 0
end

-- read_scan: how far the scan of a key is. A table of its fields, and `key`; `is_held` when another owner is at it. An owner holds it
-- for 3 s after its last chunk, which is longer than a round trip takes; an instant in the future holds nothing.
local function read_scan(key, owner, now_ms)
  local HELD_MS = 3000
  local values = redis.call('HMGET', key, 'owner', 'at', 'task', 'of', 'step', 'stage', 'ahead', 'place', 'scanned', 'total')
  local at = tonumber(values[2] or 0)
  return {
    key = key,
    is_held = values[1] and values[1] ~= '' and values[1] ~= owner and now_ms >= at and now_ms - at < HELD_MS,
    at = at,
    task = values[3],
    of = values[4],
    step = values[5],
    stage = tonumber(values[6] or 0),
    ahead = tonumber(values[7] or 0),
    place = values[8] or '',
    scanned = tonumber(values[9] or 0),
    total = tonumber(values[10] or 0),
  }
end

-- scan_of: what a scan of a rolling window is of: its period, the generations of marks and indexes, and the order of ties: before a board has any index
-- its generation is that of the first ones. Under other indexes it begins anew: theirs would hold those alone who were not met yet.
local function scan_of(context)
  return string.format('%d:%s:%s%s', context.current, context.clock.generation, context.index_generation, context.ties or '')
end

-- keep_scan: remembers how far a scan is, and who is at it: nobody when its task has ended.
local function keep_scan(context, scan, is_done)
  redis.call(
    'HSET',
    scan.key,
    'owner',
    is_done and '' or context.owner,
    'at',
    context.clock.now_ms,
    'task',
    is_done and 'none' or scan.task,
    'of',
    scan.of,
    'step',
    scan.step,
    'stage',
    scan.stage,
    'ahead',
    scan.ahead,
    'place',
    scan.place,
    'scanned',
    scan.scanned,
    'total',
    scan.total
  )
  scan.at = context.clock.now_ms
end

-- periods_back: how many periods before the current one something of a unit may be that is kept for so long (seconds) after its end;
-- 0 keeps it for ever.
local function periods_back(unit, kept, current_year)
  if unit == 'a' then return 0 end
  if unit == 'y' and kept == 0 then return current_year - 1970 end
  -- The offsets of a zone shorten hours by an hour at most, however many there are.
  if unit == 'h' then return math.ceil(kept / 3600) + 2 end
  local _, shortest = unit_of(unit)
  return math.ceil(kept / shortest) + 1
end

-- show_built: shows readers that upkeep built something. It counted nothing, so the state's `built` keeps when the last other change was: "at before", of
-- which `at` is `changed` until something else changes. By that a board of a template becomes idle.
local function show_built(board, clock)
  local changed, at, before = clock.state.changed or '0', string.match(clock.state.built or '', '^(%S+) (%S+)$')
  if at ~= changed then before = changed end
  set_state(board, 'changed', clock.now_us, 'built', string.format('%.0f %s', clock.now_us, before))
end
