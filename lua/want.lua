-- want: notes that a reader wants a past ranking of a rolling window, which upkeep then builds. A board notes sixteen at most, and
-- one per address; what is noted already costs nothing more.
--
-- 1. Read TIME and the state. Answer 'SPAN' if the zone's span does not reach.
-- 2. Answer 'OK' with 0 when the period is not past, or when no more may be wanted.
-- 3. Note it, and that upkeep has something to do.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args window
-- @arg number            text    the number of the window's last base period
-- @arg by                text    a digest of the reader's address
-- @args calendar
-- @returns OK                    it is done
-- @field wanted          flag    whether it is noted
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local MAX, KEPT = 16, 86400
-- 1. Time.
local clock, refusal = read_clock(board, zone, day_starts_at, {})
if refusal then return refusal end

-- 2. Who may.
local call, wanted, by_key = redis.call, wanted_key(board), wanted_by_key(board)
local member = string.format('%s:%s:%d:%s', window, unit, length, number)
if tonumber(number) >= period_number(unit, clock, week_starts_on) then return { 'OK', 0 } end
local own = call('HGET', by_key, by)
local noted = call('ZMSCORE', wanted, member, own or member)
if noted[1] then return { 'OK', 1 } end
if noted[2] or call('ZCOUNT', wanted, '(-inf', '+inf') >= MAX then return { 'OK', 0 } end

-- 3. Note it.
keep_clock(board, clock)
call('ZADD', wanted, clock.now_ms, member)
call('HSET', by_key, by, member)
call('EXPIRE', wanted, KEPT)
call('EXPIRE', by_key, KEPT)
set_state(board, 'due', '')
return { 'OK', 1 }
