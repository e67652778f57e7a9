-- erase: erases an actor from a board, one bounded chunk at a time: its tracked actions, and itself when the board ranks actors.
--
-- What its events counted for items stays. Every step can be repeated. An event of the actor that comes meanwhile, or later,
-- counts as new.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. In the first chunk, forget its tracked actions and its curation.
-- 3. Forget it in the journal, some entries at a time. Then forget what it did once in a period, some sets at a time.
-- 4. Remove it from some more boards: the periods of a unit, the rolling windows made of them, at the end the decaying windows.
--
-- @frees memory       of what an actor did
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg actor             text    the actor's id
-- @arg has_actors        int     1 when the board's members are actors
-- @args target
-- @arg actor_history     int     seconds for which any configuration lets tracked actions be undone
-- @arg replay_window     int     seconds for which any configuration remembers ids
-- @arg decided_until     int     the last order that the actor's home gave, see decide; 0 where it has none
-- @arg cursor            text    empty at first, then what the last chunk answered
-- @arg entries           int     about how many entries of boards a chunk may touch, at least 1
-- @args calendar
-- @returns OK                    a chunk is done
-- @field now_ms          int     Unix milliseconds
-- @field cursor          text    the cursor of the next chunk; empty when none is left
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- 1. Time.
local clock, refusal = read_clock(board, zone, day_starts_at, erasure_fields(rolling))
if refusal then return refusal end
keep_others(board, clock, rolling)
local context = board_context(board, clock, options, true)
context.actor, context.has_actors, context.actor_history, context.replay_window = actor, has_actors == 1, actor_history, replay_window
context.units, context.retention, context.rolling, context.decaying, context.changed, context.archived =
  units, retention, rolling, decaying, changed, archived
context.members, context.remaining, context.decided_until = { actor }, entries, decided_until
context.week_starts_on, context.zone, context.entries, context.seen = week_starts_on, zone, 0, {}

-- 2 to 4.
local phase, place = string.match(cursor, '^(%a+) (.*)$')
local next_cursor = ''
if not phase then
  erase_tracked(context)
  local at = journal_place(context.board, 0)
  next_cursor = at and 'journal ' .. at or 'once 1 0'
elseif phase == 'journal' then
  local at = scrub_journal(context, place)
  next_cursor = at and 'journal ' .. at or 'once 1 0'
elseif phase == 'once' then
  local at = erase_once(context, place)
  if at or context.has_actors then next_cursor = at and 'once ' .. at or 'boards 1' end
elseif phase == 'boards' then
  local at = drop_from_boards(context, place)
  if at then next_cursor = 'boards ' .. at end
end
if context.is_changed then set_state(board, 'changed', clock.now_us, 'curated', clock.now_us) end
return { 'OK', clock.now_ms, next_cursor }
