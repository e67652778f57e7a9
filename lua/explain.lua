-- explain: what a member's score on a window of a board is made of, by base period and action. Hidden members have no parts.
--
-- @key board                   prefix of the board's keys, "eb:{site:board}"
-- @arg window          text    the window's name
-- @arg kind            text    calendar, rolling, half-life, step or linear
-- @arg unit            text    one letter of "hdwmya": what a calendar or rolling window is made of, what steps or resets it
-- @arg length          number  periods in a rolling window; else 1
-- @arg amount          number  of a decaying window, see record
-- @arg at              number  likewise
-- @arg number          text    the period's number, for a rolling window its last base period's; empty for the current one
-- @arg id              text    of the member
-- @arg day_starts_at   number  seconds after local midnight
-- @arg week_starts_on  number  0 = Monday … 6 = Sunday
-- @arg zone            text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK          'OK', now (Unix milliseconds), number, the period's start, the window's start and end (seconds;
--                              empty where there is none), 1 when every member's score is right, score, scale (what the sums below
--                              are multiplied with to make it); then per base period that holds the member, oldest first: its number,
--                              start (seconds or empty), the member's sum in it, "action count sum …"
-- @returns SPAN        'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include find_board period_bounds period_key

local window_ref = { name = window, kind = kind, unit = unit, length = length, amount = amount, at = at }
local found, span = find_board(board, window_ref, number, day_starts_at, week_starts_on, zone)
if not found then return span end

local score = tonumber(redis.call('ZSCORE', found.key, id) or 0)
local reply = {
  'OK',
  found.now_ms,
  found.period,
  found.named_at or '',
  found.starts_at or '',
  found.ends_at or '',
  found.complete and 1 or 0,
  string.format('%.17g', score * found.scale),
  string.format('%.17g', found.scale),
}
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
