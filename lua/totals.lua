-- totals: hands out members of a unit's periods whose totals changed, for one owner at a time, and forgets what was written of those that
-- it handed out before.
--
-- 1. Answer 'BUSY' when another owner did something in the last half minute.
-- 2. Forget the marks of the last chunk, where it was written.
-- 3. Where nothing is being handed on, answer 'REST' until the next run is due; then take all marks aside. What changes from now on is
--    marked anew.
-- 4. Answer a chunk of what is aside, with totals as they are now. Forget marks of periods that are no longer kept.
--
-- A mark that is aside stays until its total was written. So whoever ends anywhere, loses nothing.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg owner             text    who hands totals on
-- @arg unit              text    the unit's code
-- @arg kept              int     seconds for which its periods are kept after their end; 0 = for ever
-- @arg every             int     seconds between two runs; 0: now
-- @arg above             int     a number that seq must be above
-- @arg written           int     the seq of the chunk that was written; 0: none was
-- @arg count             int     members to answer at most; 0: none, the owner is done
-- @args calendar
-- @each mark                     what was written: the marks of that chunk
-- @field mark            text    its mark
-- @returns OK                    a chunk
-- @field now_ms          int     Unix milliseconds
-- @field seq             int     its number: greater than that of each chunk before
-- @field remaining       count   members whose totals are being handed on, with these; 0 when the run is over
-- @group member                  a member; they may all be of periods that are no longer kept
-- @field mark            text    its mark
-- @field number          int     the number of the period
-- @field starts_at       int?    seconds: when the period starts; empty of all time
-- @field id              id      the member's id
-- @field score           number? its total; empty when it is not on the board
-- @field tally           text    "action count sum …", where counts by action are kept
-- @returns REST                  nothing is due
-- @field now_ms          int     Unix milliseconds
-- @field rest            count   seconds until it is
-- @returns BUSY                  another owner is at it
-- @field now_ms          int     Unix milliseconds
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- Cron comes some seconds early or late.
local BUSY_S, SLACK_S = 30, 20
local clock, refusal = read_clock(board, zone, day_starts_at, {})
if refusal then return refusal end
local call, now, notes_key, key = redis.call, clock.now, totals_key(board), changed_key(board, unit)
local taken = taken_key(key)
local owner_field, at_field, seq_field, begun_field = totals_fields(unit)
local notes = call('HMGET', notes_key, owner_field, at_field, seq_field, begun_field)
local at, seq, begun = tonumber(notes[2] or 0), tonumber(notes[3] or 0), tonumber(notes[4] or 0)

-- 1. One owner at a time.
if notes[1] and notes[1] ~= '' and notes[1] ~= owner and at <= now and now < at + BUSY_S then return { 'BUSY', clock.now_ms } end

-- 2. What was written.
if written ~= 0 and written ~= seq then return { 'BUSY', clock.now_ms } end
if written ~= 0 then call('SREM', taken, unpack(ARGV, marks)) end

-- 3. Another run.
if count == 0 or written ~= 0 and call('EXISTS', taken) == 0 then
  call('HSET', notes_key, owner_field, '')
  return { 'OK', clock.now_ms, seq, 0 }
end
if call('EXISTS', taken) == 0 then
  local rest = begun <= now and begun + every - SLACK_S - now or 0
  if every > 0 and rest > 0 then return { 'REST', clock.now_ms, rest } end
  if call('EXISTS', key) == 0 then return { 'REST', clock.now_ms, math.max(every - SLACK_S, 0) } end
  call('RENAME', key, taken)
  call('HSET', notes_key, begun_field, now)
end

-- 4. A chunk.
local chunk = call('SRANDMEMBER', taken, count)
local earliest = earliest_marked(clock, unit, week_starts_on, chunk)
if earliest <= clock.rows[1].from then
  local YEAR = 366 * 86400
  return { 'SPAN', clock.now_ms, earliest - YEAR, now + YEAR }
end
seq = math.max(seq + 1, clock.now_ms, above + 1)
local reply = { 'OK', clock.now_ms, seq, call('SCARD', taken) }
local dropped = add_totals(reply, board, clock, unit, kept, week_starts_on, chunk)
if #dropped > 0 then call('SREM', taken, unpack(dropped)) end
call('HSET', notes_key, owner_field, owner, at_field, now, seq_field, string.format('%d', seq))
return reply
