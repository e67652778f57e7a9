-- reset: empties periods of a board, with everything that is kept beside them, so that nobody sees a part of it. What happened before then
-- counts there no more, however late it comes, and is not taken away again by an undo.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. Find the boards of the periods and of the decaying windows. Where all windows are reset, these are also those that other configurations count,
--    and what counts once in the current periods is forgotten.
-- 3. Note in the state until when what happened counts no more, and have events of now planned anew.
-- 4. Move aside what is archived, with a note for who archives. Remove the other boards.
-- 5. Begin the rolling windows anew whose base periods were among them. One that has others left is incomplete until it is repaired.
--
-- @frees memory       it takes whole periods, and leaves a note
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg is_dry            int     1: only tell what would be reset
-- @arg resets_all          int     1: every window is reset, also those of other configurations
-- @arg periods           text    the units, each with how many of its last periods are reset: "d:7 a:1"
-- @arg fades             text    the decaying windows that are reset, as `decaying` lists them
-- @arg moved             text    the units whose periods are moved aside to be archived, a letter each
-- @args target
-- @args calendar
-- @returns OK                    it is done
-- @field now_ms          int     Unix milliseconds
-- @field fading          count   entries of the decaying windows
-- @field rebuilt         text    the names of the rolling windows that are incomplete until they are repaired
-- @group period                  the periods of a unit
-- @field unit            text    the unit's code
-- @field first           int     the number of the first of them
-- @field first_at        int?    seconds: when it starts; empty for all time
-- @field last            int     the number of the last
-- @field last_at         int?    seconds: when it starts; empty for all time
-- @field count           count   those that hold anything
-- @field entries         count   entries of them together
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- 1. Time.
local fields = erasure_fields(rolling)
fields[#fields + 1] = 'resets'
local clock, refusal = read_clock(board, zone, day_starts_at, fields)
if refusal then return refusal end
local is_real = is_dry ~= 1
if is_real then keep_others(board, clock, rolling) end
local context = board_context(board, clock, options, is_real)
context.units, context.retention, context.week_starts_on, context.zone = units, retention, week_starts_on, zone
context.dropped, context.reset_periods, context.reset_windows, context.changed = {}, {}, {}, is_real and changed or ''
context.decaying = decaying

-- 2. What goes.
local reply = { 'OK', clock.now_ms, 0, '' }
context.other_units, context.other_retention, context.other_decaying = other_counted(context)
local all_go = resets_all == 1
for unit, count in string.gmatch(all_go and all_periods(context, periods) or periods, '(%a):(%d+)') do
  add_periods(context, reply, unit, tonumber(count))
end
reply[3] = add_fading(context, all_go and fades .. ' ' .. context.other_decaying or fades)
if all_go then add_once(context) end

-- 3 and 4.
if is_real then
  local resets = note_reset(context, clock.state.resets)
  set_state(board, 'resets', resets, 'changed', clock.now_us, 'curated', clock.now_us, 'due', '')
  redis.call('HDEL', state_key(board), 'past')
  move_to_copy(context, moved)
  for from = 1, #context.dropped, 1000 do
    redis.call('UNLINK', unpack(context.dropped, from, math.min(from + 999, #context.dropped)))
  end
  forget_made(context)
end

-- 5. Rolling windows.
reply[4] = reset_rolling(context, rolling, is_real)
return reply
