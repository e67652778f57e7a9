-- alias: lets an item be another one from now on, and makes what it has on a target that one's, one bounded chunk at a time. How far that is
-- stands in Redis, so whoever asks goes on, and doing it again does no harm.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. At first, note it where removed members are looked up: from then on its events count for the other one.
-- 3. Merge its entries of some more boards: the periods of a unit, the rolling windows made of them, at the end the decaying windows.
-- 4. Once its tracked actions were brought over, see alias_actions, do so with the marks of what counts once, and with the journal.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg old               text    the item
-- @arg new               text    what it becomes
-- @arg has_actors        int     1 when the target's members are no items
-- @arg is_dry            int     1: only tell how many entries would be merged
-- @arg cursor            text    of a dry run: empty at first, then what the last chunk answered; else empty
-- @arg max_size          int     how many ids and prefixes may be known as removed or as aliases
-- @args target
-- @arg replay_window     int     seconds for which any configuration remembers ids
-- @arg entries           int     about how many entries of boards a chunk may touch, at least 1
-- @args calendar
-- @each action                   an action that the site knows
-- @field name            text    its name
-- @returns OK                    a chunk is done
-- @field phase           text    what is next: boards, actions, marks or journal; empty when nothing is left
-- @field cursor          text    of a dry run, that of the next chunk; empty when none is left
-- @field entries         count   entries of boards that were merged, or would be
-- @returns OFF                   of a dry run: one of them is kept off the board
-- @field id              id      which
-- @returns FULL                  no more may be noted
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local fields = erasure_fields(rolling)
fields[#fields + 1], fields[#fields + 2] = 'moved', 'past'
local clock, refusal = read_clock(board, zone, day_starts_at, fields)
if refusal then return refusal end
local is_real = is_dry ~= 1
if is_real then keep_others(board, clock, rolling) end
local context = board_context(board, clock, options, is_real)
context.units, context.retention, context.rolling, context.decaying, context.changed, context.archived, context.remaining =
  units, retention, rolling, decaying, changed, archived, entries
context.week_starts_on, context.zone, context.is_dry, context.entries, context.replay_window, context.past =
  week_starts_on, zone, not is_real, 0, replay_window, clock.state.past
context.members, context.drop, context.drop_rolled = { old, new }, merge_entry, merge_rolled
if not is_real then
  local off = cursor == '' and who_is_off(context, has_actors == 1)
  if off then return { 'OFF', off } end
  local place = has_actors == 0 and drop_from_boards(context, cursor == '' and '1' or cursor)
  return { 'OK', '', place or '', context.entries }
end
if not begin_alias(context, old, new, has_actors == 1, max_size) then return { 'FULL' } end
local names = {}
for i = actions, #ARGV do
  names[#names + 1] = ARGV[i]
end
local phase = go_on(context, old, new, names)
local changes = context.is_changed and { 'changed', clock.now_us, 'curated', clock.now_us } or {}
if context.past and context.past ~= clock.state.past then
  changes[#changes + 1], changes[#changes + 2] = 'past', context.past
end
if #changes > 0 then set_state(board, unpack(changes)) end
return { 'OK', phase, '', context.entries }
