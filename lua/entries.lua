-- entries: what an actor did, one by one, from a site's activity log, the latest first: what can be undone, or was undone, and what else is
-- remembered so, see store_entries. It writes nothing, and reads the actor's hash of each bucket that was used.
--
-- @key board                     prefix of the activity log's keys, "eb:{site}"
-- @arg actor             text    the actor's id
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg limit             int     entries to answer at most
-- @arg after             text    "instant what" of the entry before the first one, or empty
-- @returns OK                    they are
-- @group entry                   something that it did
-- @field at              int     Unix milliseconds: when it happened
-- @field what            text    the digest of action and item; of what cannot be undone a name of its own
-- @field times           int     how often it happened; 0 of what can be undone
-- @field undone          flag    whether it was undone
-- @field action          text    the action
-- @field item            text    the item's id

local c = tracked_context(board, actor_history)
local entries, seen = {}, {}
for _, bucket in ipairs(tracked_buckets(c, 1)) do
  local pairs_of = redis.call('HGETALL', tracked_key(board, bucket, 'actor:' .. actor))
  for i = 1, #pairs_of, 2 do
    local what, record = pairs_of[i], pairs_of[i + 1]
    local state, recorded, at, action, item = string.match(record, '^(%a+),(%d+),(%d+)[^\n]*\n([^\n]*)\n(.*)$')
    -- An older bucket may hold what the actor did before it was undone and done again.
    if item and not seen[what] and c.now_ms - recorded <= actor_history * 1000 then
      entries[#entries + 1] = { at = tonumber(at), what = what, times = 0, undone = state == 'undone', action = action, item = item }
    end
    seen[what] = true
  end
end
local noted = redis.call('ZREVRANGE', entries_key(board, actor), 0, -1, 'WITHSCORES')
for i = 1, #noted, 2 do
  local at, what, times, action, item = tonumber(noted[i + 1]), string.match(noted[i], '^(%S+) (%d+) (%S+)\n(.*)$')
  if item and c.now_ms - at <= actor_history * 1000 then
    entries[#entries + 1] = { at = at, what = what, times = tonumber(times), undone = false, action = action, item = item }
  end
end
local function is_before(entry, other)
  if entry.at ~= other.at then return entry.at > other.at end
  return entry.what < other.what
end
table.sort(entries, is_before)
local last_at, last_what = string.match(after, '^(%d+) (.*)$')
local last, reply = last_at and { at = tonumber(last_at), what = last_what }, { 'OK' }
for _, entry in ipairs(entries) do
  if #reply > 6 * limit then break end
  if not last or is_before(last, entry) then
    for _, field in ipairs({ entry.at, entry.what, entry.times, entry.undone and 1 or 0, entry.action, entry.item }) do
      reply[#reply + 1] = field
    end
  end
end
return reply
