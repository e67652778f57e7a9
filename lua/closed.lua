-- closed: which of the last periods of a unit, or of all seasons, are over and hold something, for who archives them. It writes nothing.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg unit              text    the unit's code
-- @arg back              int     how many periods before the current one to look at
-- @arg number            int     the period to look at alone; -1: all of them
-- @args calendar
-- @returns OK                    what was found
-- @field now_ms          int     Unix milliseconds
-- @field current         int     the number of the current period; of the last season that began, or 0
-- @group closed                  a period before it that holds something, the oldest first
-- @field number          int     its number
-- @field starts_at       int     seconds: when it starts
-- @field ends_at         int     seconds: when it ends
-- @field size            count   entries of its sorted set
-- @field remaining       count   entries of what was moved aside to be archived, see archive
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local clock, refusal = read_clock(board, zone, day_starts_at, {})
if refusal then return refusal end
local reply = { 'OK', clock.now_ms }
local function add_closed(number, starts_at, ends_at)
  local key = period_key(board, unit, number)
  local size, remaining = redis.call('ZCARD', key), redis.call('ZCARD', copy_key(key, 'left'))
  if size + remaining == 0 then return end
  for _, field in ipairs({ number, starts_at, ends_at, size, remaining }) do
    reply[#reply + 1] = field
  end
end

if unit == 's' then
  local seasons = season_numbers(zone, clock.now)
  reply[3] = seasons[#seasons] or 0
  for _, begun in ipairs(seasons) do
    local starts_at, ends_at = season_bounds(zone, begun)
    if ends_at <= clock.now and (number == -1 or number == begun) then add_closed(begun, starts_at, ends_at) end
  end
  return reply
end
local current = period_number(unit, clock, week_starts_on)
local earliest = period_bounds(clock.rows, unit, current - back, week_starts_on)
if earliest <= clock.rows[1].from then
  local YEAR, LONGEST = 366 * 86400, { h = 5400, d = 90000, w = 700000, m = 2764800 }
  return { 'SPAN', clock.now_ms, clock.now - back * (LONGEST[unit] or YEAR) - YEAR, clock.now + YEAR }
end
reply[3] = current
local first, last = current - back, current - 1
if number ~= -1 then
  first, last = math.max(first, number), math.min(last, number)
end
for past = first, last do
  add_closed(past, period_bounds(clock.rows, unit, past, week_starts_on))
end
return reply
