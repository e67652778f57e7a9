-- upkeep: does a bounded chunk of the work that a rolling window needs, and reports the progress.
--
-- The task is 'repair' while the current board is not ready: each member of the base boards gets its sum. Then it is
-- 'prepare': each member gets its score on the next period's board, so that nothing happens at the boundary. With a
-- past period it is 'past': that period's ranking is built and kept for an hour. Every step is an assignment of sums. So it
-- can run any number of times, at any moment, also while others write.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. Take or renew the lock, which only keeps others from doing the same work; answer 'BUSY' when somebody has it.
-- 3. Go on where the last chunk ended, or from the beginning when the period has changed since.
-- 4. When the scan has ended, mark the board as ready.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args window
-- @arg owner             text    who asks, for the lock
-- @arg lookups           int     about how many scores to read at most; 0 asks for the progress and does nothing
-- @arg options           text    the board's indexes, see lua/fields/target.lua
-- @args calendar
-- @returns OK                    a chunk is done
-- @field now_ms          int     Unix milliseconds
-- @field task            text    what is next: repair, prepare, past or ready (nothing is left to do)
-- @field scanned         count   members scanned
-- @field total           count   members to scan
-- @field last_run_ms     int     Unix milliseconds at which the last chunk was done; 0 for never
-- @returns BUSY                  somebody else has the lock
-- @field now_ms          int     Unix milliseconds
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- Longer than a round trip takes. When it runs out too early, two callers share a scan, which does no harm.
local LOCK_MS = 3000
local PAST_TTL = 3600
-- What a call of Redis costs, in scores.
local CALL = 4

local indexes = read_indexes(options)

-- 1. Time.
local clock, span_reply = read_clock(board, zone, day_starts_at, {})
if span_reply then return span_reply end
local now, now_ms = clock.now, clock.now_ms
local current = period_number(unit, clock.hour, clock.day, week_starts_on)

local past = tonumber(number)
if past and past >= current then past = nil end
local target = past or current
local past_board = past and past_key(board, window, past)
local state = past and past_board .. ':state' or window_key(board, window, 'state')
local saved =
  redis.call('HMGET', state, 'ready', 'task', 'period', 'stage', 'cursor', 'scanned', 'total', 'last_run', 'began', 'server', 'after')
-- How many batches had late events: a past ranking is right for as long as no more come than when its scan began.
local late = redis.call('HGET', window_key(board, window, 'state'), 'late') or '0'

local task = 'prepare'
if past then
  task = redis.call('GET', past_board .. ':done') == late and 'ready' or 'past'
elseif not is_ready(board, window, current) then
  task = 'repair'
elseif tonumber(saved[1]) == current + 1 then
  task = 'ready'
end
-- A cursor of ZSCAN means nothing to another process: each hashes its sets with a seed of its own.
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local same = saved[2] == task and tonumber(saved[3]) == target and saved[10] == server
local scanned, total, last_run = tonumber(saved[6] or 0), tonumber(saved[7] or 0), tonumber(saved[8] or 0)

-- The boards to scan, one after the other.
local board_now = window_key(board, window, target)
local sources = {}
if task == 'prepare' then
  sources = { board_now, period_key(board, unit, target - length + 1) }
elseif task ~= 'ready' then
  for base = target - length + 1, target do
    sources[#sources + 1] = period_key(board, unit, base)
  end
end
local stage, cursor, after, began = tonumber(saved[4] or 1), saved[5] or '0', saved[11] or '', saved[9] or late
if not same and task ~= 'ready' then
  stage, cursor, after, scanned, total, began = 1, '0', '', 0, 0, late
  for s = 1, #sources do
    total = total + redis.call('ZCARD', sources[s])
  end
end
if lookups == 0 then return { 'OK', now_ms, task, scanned, total, last_run } end

-- 2. The lock.
local lock = state .. ':lock'
if not redis.call('SET', lock, owner, 'NX', 'PX', LOCK_MS) then
  if redis.call('GET', lock) ~= owner then return { 'BUSY', now_ms } end
  redis.call('PEXPIRE', lock, LOCK_MS)
end

-- 3. The scan.
-- A member that has lost all points since it was made is in none of the sources.
if task == 'past' and not same then
  redis.call('UNLINK', past_board, past_board .. ':first', past_board .. ':last', past_board .. ':scores')
end

local function expire(made, number)
  if made then expire_window(clock.rows, board, window, unit, number, week_starts_on, indexes) end
end

-- What reading one member's scores costs: where the order of ties is kept, that is read as well.
local EACH = indexes and 3 or 1

-- Leaves out members that are on an earlier source too: they were done there, or written since, which made them right.
-- Answers also how many scores that took.
local function met_first(members)
  local looked = 0
  for source = stage - 1, 1, -1 do
    if #members == 0 then break end
    local there, rest = redis.call('ZMSCORE', sources[source], unpack(members)), {}
    looked = looked + #members + CALL
    for i = 1, #members do
      if not there[i] then rest[#rest + 1] = members[i] end
    end
    members = rest
  end
  return members, looked
end

-- Gives members of the current source their scores; answers about how many scores that took.
local function step(members, scores)
  if task == 'prepare' then
    local sums = stage == 2 and scores_of(sources[1], members) or scores
    expire(prepare(board, window, unit, length, target, members, sums, indexes), target + 1)
    return #members * 3 * EACH
  end
  local new, looked = met_first(members)
  if #new == 0 then return looked end
  local length_left = #sources - stage + 1
  local sums = base_sums(board, unit, length_left, target, new)
  local sequences = indexes and indexes.ties and base_sequences(board, unit, length_left, target, new, indexes.ties)
  if task == 'past' then
    assign(past_board, new, sums, indexes, sequences)
  else
    expire(assign(board_now, new, sums, indexes, sequences), target)
    expire(prepare(board, window, unit, length, target, new, sums, indexes), target + 1)
  end
  return looked + (#new + CALL) * (length_left + 3) * EACH
end

local left = lookups
local function max_batch() return math.max(1, math.floor(left / (task == 'prepare' and 3 or length + 3) / EACH)) end

-- A small set comes whole, whatever COUNT says. Its members are taken in the order of their digests. So the next chunk
-- knows which are left, however the set changes: a new member was written, and so is right.
local function step_in_parts(members, score_of)
  local digests, member_of = {}, {}
  for i = 1, #members do
    local digest = redis.sha1hex(members[i])
    if digest > after then
      digests[#digests + 1] = digest
      member_of[digest] = members[i]
    end
  end
  table.sort(digests)
  local done = 0
  while done < #digests and (left > 0 or done == 0) do
    local part, scores = {}, {}
    for i = done + 1, math.min(#digests, done + max_batch()) do
      part[#part + 1] = member_of[digests[i]]
      scores[#scores + 1] = score_of[part[#part]]
    end
    left = left - step(part, scores)
    done = done + #part
  end
  after = done < #digests and digests[done] or ''
  return done
end

while left > 0 and stage <= #sources do
  local reply = redis.call('ZSCAN', sources[stage], cursor, 'COUNT', max_batch())
  local members, scores, score_of = {}, {}, {}
  for i = 1, #reply[2], 2 do
    local member, score = reply[2][i], tonumber(reply[2][i + 1])
    members[#members + 1], scores[#scores + 1], score_of[member] = member, score, score
  end
  left = left - #members - 1
  if cursor == '0' and reply[1] == '0' and #members > max_batch() then
    scanned = scanned + step_in_parts(members, score_of)
  else
    if #members > 0 then left = left - step(members, scores) end
    scanned, after = scanned + #members, ''
  end
  if after == '' then
    cursor = reply[1]
    if cursor == '0' then stage = stage + 1 end
  end
end

-- 4. The end of the scan.
local ended = stage > #sources
redis.call(
  'HSET',
  state,
  'task',
  ended and 'none' or task,
  'period',
  target,
  'stage',
  stage,
  'cursor',
  cursor,
  'scanned',
  scanned,
  'total',
  total,
  'last_run',
  now_ms,
  'began',
  began,
  'server',
  server,
  'after',
  after
)
if task ~= 'ready' and ended then
  if task == 'past' then
    redis.call('SET', past_board .. ':done', began)
    redis.call('EXPIREAT', past_board .. ':done', now + PAST_TTL)
    task = 'ready'
  else
    redis.call('HSET', state, 'ready', task == 'prepare' and target + 1 or target)
    -- The board before this one is right as well if it was when its period ended.
    if task == 'repair' and tonumber(saved[1]) ~= target - 1 then redis.call('HDEL', state, 'since') end
    redis.call('HSETNX', state, 'since', target)
    task = task == 'prepare' and 'ready' or 'prepare'
  end
end
if past then
  expire_board(indexes, past_board, now + PAST_TTL)
  redis.call('EXPIRE', state, PAST_TTL)
end
if ended then redis.call('DEL', lock) end
return { 'OK', now_ms, task, scanned, total, now_ms }
