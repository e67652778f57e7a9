-- archive: keeps the notes of who archives a board's periods, for one owner at a time, and moves aside or forgets what is archived.
--
-- 1. Answer 'BUSY' when another owner did something in the last half minute, and to all but 'look' when the board is not the owner's since.
-- 2. Move aside ('leave') or forget the period, where that is asked for.
-- 3. Keep the notes.
--
-- What is moved aside is written by nobody: a late event begins the period's sorted set anew, which then holds what is to be added.
-- Moving aside again does nothing while something is there.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg owner             text    who archives
-- @arg verb              text    look, note, leave or forget
-- @arg unit              text    the unit's code; of leave and forget
-- @arg number            int     the period's number
-- @arg ties              text    who stands first among ties: first, last, or empty
-- @arg corrects          int     of leave: 1: what is moved aside is added to the archive
-- @arg kept_until        int     seconds: when Redis forgets the period by itself, at the earliest; 0 for never
-- @arg aside             text    of forget: the name under which it was moved aside, see aside_key
-- @arg count             int     of forget: the best entries to forget; 0 for all
-- @each note                     what to remember
-- @field name            text    its name
-- @field value           text    empty: it is forgotten
-- @returns OK                    it is done
-- @field now_ms          int     Unix milliseconds
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
local left = aside_key(key, aside)
if verb == 'leave' then
  leave_period(board, key, ties)
  if corrects == 1 then add_uncounted(left) end
elseif verb == 'forget' and count > 0 and count < call('ZCARD', left) then
  forget_best(left, ties, count)
elseif verb == 'forget' then
  call('UNLINK', left, left .. ':first', left .. ':last', left .. ':actions')
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
local reply = { 'OK', now_ms }
if verb ~= 'look' then return reply end
for i, text in ipairs(call('HGETALL', notes_key)) do
  reply[i + 2] = text
end
return reply
