-- archive: keeps the notes of who archives a board's periods, for one owner at a time, and moves aside or forgets what is archived.
--
-- 1. Answer 'BUSY' when another owner did something in the last half minute, and to all but 'look' when the board is not the owner's since.
-- 2. Do what is asked for with the period: begin to archive it, take whom its archive is behind with, note that they follow, move it aside ('leave'),
--    or forget it.
-- 3. Keep the notes.
--
-- What is moved aside is written by nobody: a late event begins the period's sorted set anew, which then holds what is to be added.
-- Moving aside again does nothing while something is there.
--
-- Beginning says since when changes are noted, see put_behind, and forgets those of before: all that the archive gets is read after it. Taking moves
-- what is noted aside, and says when that was. What is taken already is to be done first.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg owner             text    who archives
-- @arg verb              text    look, note, begin, take, follow, leave or forget
-- @arg unit              text    the unit's code; of all but look and note
-- @arg number            int     the period's number
-- @arg ties              text    who stands first among ties: first, last, or empty
-- @arg corrects          int     of leave: 1: what is moved aside is added to the archive
-- @arg kept_until        int     seconds: when Redis forgets the period by itself, at the earliest; 0 for never
-- @arg copy              text    of forget: the name under which it was moved aside, see copy_key
-- @arg count             int     of forget: the best entries to forget; 0 for all
-- @each note                     what to remember
-- @field name            text    its name
-- @field value           text    empty: it is forgotten
-- @returns OK                    it is done
-- @field now_ms          int     Unix milliseconds
-- @field since_us        int     Unix microseconds: of begin, since when changes are noted; of take, until when those are that are taken; of leave,
--                                when it was moved aside; else 0
-- @group kept                    of look: all that is remembered
-- @field name            text    its name
-- @field value           text    what it is
-- @returns BUSY                  another owner is at it
-- @field now_ms          int     Unix milliseconds

-- 1. One owner at a time.
local call, notes_key, key = redis.call, archive_key(board), period_key(board, unit, number)
local time = call('TIME')
local now, now_ms = tonumber(time[1]), time[1] * 1000 + math.floor(time[2] / 1000)
if is_owned(board, owner, now, verb == 'look') then return { 'BUSY', now_ms } end

-- 2. The period.
local remaining = copy_key(key, copy)
local since_us = 0
if verb == 'begin' then
  since_us = begin_archive(board, key, unit, number, time[1] * 1000000 + time[2])
elseif verb == 'take' then
  since_us = take_behind(board, key, unit, number, time[1] * 1000000 + time[2])
elseif verb == 'follow' then
  drop_taken(board, key, unit, number)
elseif verb == 'leave' then
  if call('EXISTS', remaining) == 0 then forget_behind(board, key, unit, number) end
  since_us = leave_period(board, key, ties, time[1] * 1000000 + time[2])
  if corrects == 1 then add_uncounted(remaining) end
elseif verb == 'forget' and count > 0 and count < call('ZCARD', remaining) then
  forget_best(remaining, ties, count)
elseif verb == 'forget' then
  call('UNLINK', unpack(copy_keys(remaining)))
elseif verb == 'note' and kept_until > 0 then
  call('EXPIREAT', key, kept_until)
end

-- 3. The notes.
call('HSET', notes_key, 'owner', owner, 'at', now)
for i = notes, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    call('HDEL', notes_key, ARGV[i])
  else
    call('HSET', notes_key, ARGV[i], ARGV[i + 1])
  end
end
local reply = { 'OK', now_ms, since_us }
if verb ~= 'look' then return reply end
for i, text in ipairs(call('HGETALL', notes_key)) do
  reply[i + 3] = text
end
return reply
