-- homes: what is decided for an actor's targets, and did not reach all of them.
-- @use tracked_hashes

-- DAY_US: microseconds of a day. An order is an instant in microseconds, see decide.
local DAY_US = 86400 * 1000000

-- forget_intent: forgets an intent. Answers whether it was there.
local function forget_intent(home, order, who)
  if redis.call('HDEL', intents_key(home, who), order) == 0 then return false end
  redis.call('ZREM', intents_key(home), order .. ' ' .. who)
  return true
end

-- settle_intents: forgets the intents that all of their targets answered. `text` has a line for each, with tabs: its order, who did it, the event's id,
-- the instant, and the targets that refused it; * for all of them. What was refused may come again with the same id.
local function settle_intents(home, text)
  for order, who, id, at, refused in string.gmatch(text, '([^\t\n]+)\t([^\t\n]+)\t([^\t\n]*)\t([^\t\n]*)\t([^\t\n]*)\n') do
    if forget_intent(home, order, who) and id ~= '' and refused ~= '' then
      local key = decided_key(home, math.floor(order / DAY_US))
      if refused == '*' then
        redis.call('HDEL', key, id)
      else
        redis.call('HSET', key, id, order .. ' ' .. at .. ' ' .. refused)
      end
    end
  end
end

-- end_intents: forgets what somebody did and did not reach all of its targets, and where the rest counted. `now` is in seconds.
local function end_intents(home, who, now)
  -- A bucket is kept for an actor history after its end, which is 366 days at most.
  local MOST, bucket, done = math.ceil(366 * 86400 / BUCKET) + 1, bucket_of(now), {}
  for i = 0, MOST do
    done[i + 1] = done_key(home, bucket - i, who)
  end
  redis.call('UNLINK', unpack(done))
  local key, ended = intents_key(home, who), {}
  for i, order in ipairs(redis.call('HKEYS', key)) do
    ended[i] = order .. ' ' .. who
  end
  if #ended == 0 then return end
  redis.call('ZREM', intents_key(home), unpack(ended))
  redis.call('UNLINK', key)
end

-- last_decided: the last order that a home gave; 0 where it gave none. It outlives what was decided, since the home's clock may go back by any time.
local function last_decided(home) return tonumber(redis.call('GET', order_key(home)) or 0) end

-- read_waiting: the intents that are left of those whose events are asked for, as lists of order, who and text; and how many each has. `texts` holds the
-- events from `first` on, see decide.
local function read_waiting(home, texts, first)
  local waiting, count_of = {}, {}
  for i = first, #texts, 5 do
    local who = texts[i]
    if not count_of[who] then
      local stored = redis.call('HGETALL', intents_key(home, who))
      count_of[who] = #stored / 2
      for j = 1, #stored, 2 do
        waiting[#waiting + 1] = { stored[j], who, stored[j + 1] }
      end
    end
  end
  return waiting, count_of
end

-- read_decisions: what was decided of the events that are asked for, by their ids; the last order of these days; and whether there is a key of today.
-- What was decided before `from` (seconds) is forgotten. A clock that went back a little finds what it decided since.
local function read_decisions(home, texts, first, from, now)
  local STEP_BACK_S, asked, decided, latest, is_begun = 60, { '\0' }, {}, 0, false
  for i = first, #texts, 5 do
    if texts[i + 1] ~= '' then asked[#asked + 1] = texts[i + 1] end
  end
  for day = math.floor(from / 86400), math.floor((now + STEP_BACK_S) / 86400) do
    local found = redis.call('HMGET', decided_key(home, day), unpack(asked))
    latest = math.max(latest, tonumber(found[1] or 0))
    if day == math.floor(now / 86400) then is_begun = found[1] end
    for i = 2, #asked do
      decided[asked[i]] = found[i] or decided[asked[i]]
    end
  end
  return decided, latest, is_begun
end

-- decide_event: decides an event at an instant (milliseconds), in tables. Answers what became of it and its order, see decide, and the targets that refused
-- it.
local function decide_event(book, who, id, at, pieces)
  local WAITING, known = 200, id ~= '' and book.decided[id]
  if known then
    local order, refused = string.match(known, '^(%d+) %-?%d+ ?(.*)$')
    return 'k', tonumber(order), refused
  end
  if at > book.now_ms then return 'f', 0, '' end
  if book.count_of[who] >= WAITING then return 'w', 0, '' end
  local order = math.max(book.now_us, book.latest + 1)
  local text, instant, noted, ordered = string.format('%d', order), string.format('%d', at), book.noted, book.ordered
  book.latest, book.count_of[who] = order, book.count_of[who] + 1
  if id ~= '' then
    book.decided[id] = text .. ' ' .. instant
    noted[#noted + 1], noted[#noted + 2] = id, book.decided[id]
  end
  local intents = book.intents[who] or {}
  book.intents[who] = intents
  intents[#intents + 1], intents[#intents + 2] = text, instant .. '\t' .. id .. '\t' .. pieces
  ordered[#ordered + 1], ordered[#ordered + 2] = text, text .. ' ' .. who
  return 'n', order, ''
end

-- write_decisions: writes what was decided in tables. Ids are remembered for `kept` (seconds) after their day.
local function write_decisions(home, book, now, kept)
  if #book.ordered == 0 then return end
  local day = math.floor(now / 86400)
  local key = decided_key(home, day)
  redis.call('HSET', key, '\0', string.format('%d', book.latest), unpack(book.noted))
  if not book.is_begun then redis.call('EXPIREAT', key, (day + 1) * 86400 + kept) end
  for who, intents in pairs(book.intents) do
    redis.call('HSET', intents_key(home, who), unpack(intents))
  end
  redis.call('ZADD', intents_key(home), unpack(book.ordered))
  redis.call('SET', order_key(home), string.format('%d', book.latest))
end

-- remember_where: notes in tables where an action counts, see decide. `what` of an undo notes nothing.
local function remember_where(book, who, what)
  local name, targets = string.match(what, '^([^\31]*)\31(.*)$')
  if not name then return end
  local done = book.done[who] or {}
  book.done[who], done[name] = done, targets
end

-- find_where: where the action of an undo counted, behind \29; empty where that is not known, and of what is no undo. It was done since `from` (seconds).
local function find_where(home, book, who, what, from, now)
  if string.find(what, '\31', 1, true) then return '' end
  local found, bucket = book.done[who] and book.done[who][what], bucket_of(now)
  while not found and bucket >= bucket_of(from) do
    found, bucket = redis.call('HGET', done_key(home, bucket, who), what), bucket - 1
  end
  return found and '\29' .. found or ''
end

-- write_where: writes where actions count that were done now (seconds). It is kept for an actor history after its bucket.
local function write_where(home, book, now, actor_history)
  local bucket, ends_at = bucket_of(now)
  for who, done in pairs(book.done) do
    local key, fields = done_key(home, bucket, who), {}
    for what, targets in pairs(done) do
      fields[#fields + 1], fields[#fields + 2] = what, targets
    end
    redis.call('HSET', key, unpack(fields))
    redis.call('EXPIREAT', key, ends_at + actor_history)
  end
end
