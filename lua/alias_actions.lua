-- alias_actions: makes what actors did to an item that became another one what they did to that, on one target, one bounded chunk at a time:
-- the phase "actions" of alias. What an actor did to both is one action: the later one is taken back, as an undo would. The keys of actors
-- are found with SCAN. How far that is stands in Redis, and every step can be repeated.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @table c target stable_offset counting batch calendar
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg journal           int     seconds for which what is counted is kept in the journal; 0: there is none
-- @arg old               text    the item
-- @arg new               text    what it becomes
-- @arg has_actors        int     1 when the target's members are no items
-- @arg entries           int     about how many keys to look at, at least 1
-- @each action                   an action that the site knows
-- @field name            text    its name
-- @returns OK                    a chunk is done
-- @field is_done         flag    whether nothing is left of this phase
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

c.known_for, c.newcomers, c.actor_history, c.journal = '0', '', actor_history, journal
local refusal = open_call(c)
if refusal then return refusal end
local key, field = moved_key(c.board), progress_field(old)
local cursor, run = string.match(redis.call('HGET', key, field) or '', '^actions (%d+) ?(%w*)$')
if not cursor then return { 'OK', 1 } end
-- Its cursor means nothing to another process.
if run ~= '' and run ~= run_id() then cursor = '0' end
local alias = { old = old, new = new, has_actors = has_actors == 1, entries = entries, actions = {} }
for i = actions, #ARGV do
  alias.actions[#alias.actions + 1] = ARGV[i]
end
local batch
batch, cursor = find_actions(c.board, c.now_ms, alias, cursor)
if batch.brought > 0 then
  c.moved, c.revokes = nil, batch
  local counted = count_batch(c, {}, 1)
  if type(counted) ~= 'string' then return counted end
end
local is_done = cursor == '0'
redis.call('HSET', key, field, is_done and 'marks 1 0' or string.format('actions %s %s', cursor, run_id()))
return { 'OK', is_done and 1 or 0 }
