-- explain: what a member's score on a window of a board is made of, by base period and action. Hidden members have no parts.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args window
-- @arg id                text    the member's id
-- @args calendar
-- @returns OK                    the parts of its score
-- @fields period
-- @field score           number  the member's score
-- @field scale           number  what to multiply the sums below with to get the score
-- @group part                    a base period that holds the member, the oldest first
-- @field number          int     the base period's number
-- @field starts_at       int?    seconds; empty where there is none
-- @field sum             number  the member's sum in it
-- @field actions         text    "action count sum …"
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local window_ref = { name = window, kind = kind, unit = unit, length = length, amount = amount, at = at }
local found, span = find_board(board, window_ref, number, day_starts_at, week_starts_on, zone)
if not found then return span end

local score = tonumber(redis.call('ZSCORE', found.key, id) or 0)
local reply = begin_reply(found, string.format('%.17g', score * found.scale), string.format('%.17g', found.scale))
if redis.call('SISMEMBER', board .. ':hidden', id) == 1 then return reply end
local function add_period(key, period, starts_at)
  local sum, actions = redis.call('ZSCORE', key, id), redis.call('HGET', key .. ':actions', id)
  if not sum and not actions then return end
  reply[#reply + 1] = period
  reply[#reply + 1] = starts_at or ''
  reply[#reply + 1] = string.format('%.17g', tonumber(sum or 0))
  reply[#reply + 1] = actions or ''
end
if kind == 'rolling' then
  for period = found.period - length + 1, found.period do
    add_period(period_key(board, unit, period), period, (period_bounds(found.rows, unit, period, week_starts_on)))
  end
else
  add_period(found.key, found.period, found.named_at)
end
return reply
