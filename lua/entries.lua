-- entries: what an actor did that can be undone, or was undone, from a site's activity log, the latest first. It writes nothing, and reads
-- the actor's hash of each bucket that was used.
--
-- @key board                     prefix of the activity log's keys, "eb:{site}"
-- @arg actor             text    the actor's id
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg limit             int     entries to answer at most
-- @arg after             text    "instant what" of the entry before the first one, or empty
-- @returns OK                    they are
-- @group entry                   something that it did
-- @field at              int     Unix milliseconds: when it happened
-- @field what            text    the digest of action and item
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
      entries[#entries + 1] = { at = tonumber(at), what = what, undone = state == 'undone', action = action, item = item }
    end
    seen[what] = true
  end
end
local function is_before(a, b)
  if a.at ~= b.at then return a.at > b.at end
  return a.what < b.what
end
table.sort(entries, is_before)
local last_at, last_what = string.match(after, '^(%d+) (.*)$')
local last, reply = last_at and { at = tonumber(last_at), what = last_what }, { 'OK' }
for _, entry in ipairs(entries) do
  if #reply > 5 * limit then break end
  if not last or is_before(last, entry) then
    for _, field in ipairs({ entry.at, entry.what, entry.undone and 1 or 0, entry.action, entry.item }) do
      reply[#reply + 1] = field
    end
  end
end
return reply
