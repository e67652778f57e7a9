-- remove: takes a member, or those whose ids begin with a prefix, off every board, one bounded chunk at a time. They are to be kept off
-- meanwhile, see keep_off. Every step can be repeated. How far it is stands in Redis, so a request that comes again goes on there.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. When a request begins, unpin a member. One that is hidden stays so: that it has points again is no reason to show it.
-- 3. Remove it from some more boards: the periods of a unit, the rolling windows made of them, at the end the decaying windows. Of a
--    prefix, scan them.
--
-- @frees memory       it takes members off boards, and leaves a note
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg id                text    the member's, or the prefix
-- @arg is_prefix         int     1 for a prefix
-- @arg is_dry            int     1: only tell what would be removed
-- @args target
-- @arg cursor            text    empty at first, then what the last chunk answered. Empty, a removal that was begun goes on where it was
-- @arg entries           int     about how many entries of boards a chunk may touch, at least 1
-- @args calendar
-- @returns OK                    a chunk is done
-- @field cursor          text    the cursor of the next chunk; empty when none is left
-- @field entries         count   entries of boards that were removed, or would be
-- @group member                  who was removed; of a prefix, about a hundred of them at most
-- @field id              id      the member's id
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local clock, refusal = read_clock(board, zone, day_starts_at, erasure_fields(rolling))
if refusal then return refusal end
local is_real = is_dry ~= 1
if is_real then keep_others(board, clock, rolling) end
local context = board_context(board, clock, options, is_real)
context.units, context.retention, context.rolling, context.decaying, context.changed, context.archived, context.remaining =
  units, retention, rolling, decaying, changed, archived, entries
context.week_starts_on, context.zone, context.is_dry, context.entries, context.seen = week_starts_on, zone, not is_real, 0, {}
if is_prefix == 1 then
  context.pattern = string.gsub(id, '[%*%?%[%]%\\]', '\\%0') .. '*'
else
  context.members = { id }
end
local field = is_prefix == 1 and '\0' .. id or id
local noted = is_real and removal_place(context, field) or '1'
local place = cursor ~= '' and cursor or noted
-- Also where it ended already: a member that is kept off may have been pinned since.
if is_real and cursor == '' and context.members then unpin(context, id) end
place = place ~= '' and drop_from_boards(context, place) or ''
if is_real then note_removal(context, field, place) end
if context.is_changed then set_state(board, 'changed', clock.now_us, 'curated', clock.now_us) end
return { 'OK', place, context.entries, unpack(context.seen) }
