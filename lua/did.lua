-- did: which actions of an actor stand in one target, of those that can be undone, and what each counts. It writes nothing, and reads one
-- hash per bucket that was used.
--
-- @key board                     prefix of the target's keys, "eb:{site:board}"
-- @arg actor             text    the actor's id
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @each action                   an action on an item
-- @field what            text    a digest of both, see record_tracked
-- @returns OK                    what became of them
-- @group standing per action     one of them
-- @field delta           number? what it counts; empty where it was not done, was undone, or is no longer remembered

local c = tracked_context(board, actor_history)
local who = 'actor:' .. actor
for _, bucket in ipairs(tracked_buckets(c, 1)) do
  local hash = hash_of(c.hashes, tracked_key(board, bucket, who))
  for i = actions, #ARGV do
    want_field(hash, ARGV[i])
  end
  load_hash(hash)
end
local reply = { 'OK' }
for i = actions, #ARGV do
  local record, _, valid = find_tracked(c, who, ARGV[i], 1)
  reply[#reply + 1] = string.match(record and valid and record or '', '^done,%d+,%d+,([^,*]*)') or ''
end
return reply
