-- lost: which period of each unit of a board holds the instant since when that unit is counted: of what happened before it there, Redis knows
-- nothing. It writes nothing.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg units             text    the units' codes
-- @arg since             text    what an earlier call answered; or empty
-- @args calendar
-- @returns OK                    what was found
-- @field now_ms          int     Unix milliseconds
-- @field since           text    since when each unit is counted (seconds), "h=1795176000 d=1795176000", and 0 where nobody knows
-- @group lost                    the period of a unit
-- @field unit            text    the unit's code
-- @field number          int     its number
-- @field starts_at       int     seconds: when it starts; 0 of all time
-- @field since           int     seconds: since when it is counted
-- @field ends_at         int     seconds: when it ends; 0 of all time
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local clock, refusal = read_clock(board, zone, day_starts_at, { 'since' })
if refusal then return refusal end
local REACH, known, words, reply = 397 * 86400, {}, {}, {}
for unit, at in string.gmatch(' ' .. (clock.state.since or '') .. ' ' .. since, ' (%a)=(%d+)') do
  known[unit] = tonumber(at)
end
for unit in string.gmatch(units, '%a') do
  -- A board that counted before it noted since when may have all of it.
  local current = period_number(unit, clock, week_starts_on)
  local is_there = current and redis.call('EXISTS', period_key(board, unit, current)) == 1
  local at = known[unit] or (is_there and 0 or clock.now)
  words[#words + 1] = string.format('%s=%d', unit, at)
  if at > 0 then
    if at - REACH < clock.rows[1].from then return { 'SPAN', clock.now_ms, at - REACH, clock.now + REACH } end
    local time =
      { hour = local_count(clock.rows, 'hour', 3600, at), day = local_count(clock.rows, 'day', 86400, at), second = at, zone = zone }
    local number = period_number(unit, time, week_starts_on)
    local starts_at, ends_at
    if unit == 's' then
      starts_at, ends_at = season_bounds(zone, number)
    else
      starts_at, ends_at = period_bounds(clock.rows, unit, number, week_starts_on)
    end
    -- Between two seasons nothing counts.
    for _, field in ipairs(number and { unit, number, starts_at or 0, at, ends_at or 0 } or {}) do
      reply[#reply + 1] = field
    end
  end
end
return { 'OK', clock.now_ms, table.concat(words, ' '), unpack(reply) }
