-- restore: puts back what the archive has of a period, some members at a time. What is added lies aside until all of it is there.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach, 'BUSY' when another owner is at it or remembered another job.
-- 2. Add members to what lies aside ('add'). The first ones begin it anew. Answer 'LOST' where it is gone.
-- 3. Else ('put') a period that is over gets what lies aside, in place of what an older Redis had; 'CHANGED' where something came that the archive
--    does not have yet. To one that lost only its beginning
--    it is added, some members at a time, while events go on counting.
-- 4. Totals that were put are handed on. Where all is put: rolling windows made of the period are to be repaired, and its indexes looked at.
-- 5. Remember the job.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg owner             text    who restores
-- @arg verb              text    add or put
-- @arg before            text    the job as it is remembered
-- @arg after             text    the job to remember instead; empty: it is done
-- @arg note              text    of put: the name of the note that says that the period is restored
-- @arg noted             text    what it says
-- @arg unit              text    the period's unit, by its code
-- @arg number            int     the period's number
-- @arg is_closed         int     1: the period is over, and restored as it was
-- @arg sequence          int     of add: the sequence number of the first member; of put: the greatest one
-- @arg added             int     of add: entries that were added before
-- @arg starts_at         int     of put: seconds since when the period is counted now
-- @arg kept_until        int     of put: seconds when Redis forgets the period; 0 for never
-- @args target
-- @args calendar
-- @each member                   a member to add
-- @field id              text    the member's id
-- @field score           number  its score
-- @field tally           text    "action count sum …"; empty where that is not known
-- @returns OK                    it is done
-- @field now_ms          int     Unix milliseconds
-- @field remaining       count   of put: entries that are still to be put
-- @returns BUSY                  another owner is at it
-- @field now_ms          int     Unix milliseconds
-- @returns LOST                  what was added is gone; it is to be added anew
-- @field now_ms          int     Unix milliseconds
-- @returns CHANGED               the period has something already; nothing lies aside any more
-- @field now_ms          int     Unix milliseconds
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- 1. Time, and one owner at a time.
local clock, refusal = read_clock(board, zone, day_starts_at, erasure_fields(rolling))
if refusal then return refusal end
local call, notes_key, key, remaining = redis.call, archive_key(board), period_key(board, unit, number), 0
local copy = restored_key(key)
if is_owned(board, owner, clock.now) or (call('HGET', notes_key, 'restore') or '') ~= before then return { 'BUSY', clock.now_ms } end
keep_others(board, clock, rolling)
local context = board_context(board, clock, options, true)

-- 2. Aside.
if verb == 'add' then
  if added == 0 then
    call('UNLINK', unpack(copy_keys(copy)))
  elseif call('EXISTS', copy) == 0 then
    call('HDEL', notes_key, 'restore')
    return { 'LOST', clock.now_ms }
  end
  add_restored(context, copy, is_closed == 0, ARGV, members, sequence)
-- 3. The period.
elseif is_closed == 0 then
  remaining = put_open(context, key, copy, changed)
elseif not put_closed(context, key, copy, sequence, note) then
  call('HDEL', notes_key, 'restore')
  return { 'CHANGED', clock.now_ms }
end

-- 4. What follows from it.
if verb == 'put' and remaining == 0 then
  finish_restored(context, key, unit, starts_at, kept_until, is_closed == 1 and string.find(changed, unit, 1, true) and number)
  if is_closed == 1 then forget_lost(board, unit, number, number) end
  call('HSET', notes_key, note, noted)
  context.rolling, context.week_starts_on = rolling, week_starts_on
  break_holding(context, unit, math.huge)
end

-- 5. The job.
call('HSET', notes_key, 'owner', owner, 'at', clock.now)
if after == '' and remaining == 0 then
  call('HDEL', notes_key, 'restore')
elseif after ~= '' then
  call('HSET', notes_key, 'restore', after)
end
return { 'OK', clock.now_ms, remaining }
