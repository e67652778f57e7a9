-- top: one page of a window of a board, best first, with the period's bounds on Redis's own clock.
--
-- @key board                   prefix of the board's keys, "eb:{site:board}"
-- @arg window          text    the window's name
-- @arg kind            text    calendar, rolling, half-life, step or linear
-- @arg unit            text    one letter of "hdwmya": what a calendar or rolling window is made of, what steps or resets it
-- @arg length          number  periods in a rolling window; else 1
-- @arg amount          number  of a decaying window, see record
-- @arg at              number  likewise
-- @arg min_score       number  the lowest score that is shown; 0 for all above 0
-- @arg ties            text    first, last or empty, see visible_ranking
-- @arg ranking         text    ordinal, competition or dense
-- @arg number          text    the period's number, for a rolling window its last base period's; empty for the current one
-- @arg offset          number  members to skip
-- @arg limit           number  members to answer at most, at least 1
-- @arg day_starts_at   number  seconds after local midnight
-- @arg week_starts_on  number  0 = Monday … 6 = Sunday
-- @arg zone            text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK          'OK', now (Unix milliseconds), number, the period's start, the window's start and end (seconds;
--                              empty where there is none), 1 when every member's score is right, total, refused events, how many
--                              members are pinned; then per entry: member, score, rank, and rank in the period before: '-' when it
--                              was not on that board, empty where there is none to compare with
-- @returns SPAN        'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include find_board visible_ranking

local window_ref = { name = window, kind = kind, unit = unit, length = length, amount = amount, at = at }
local found, span = find_board(board, window_ref, number, day_starts_at, week_starts_on, zone)
if not found then return span end

local hidden, pinned = redis.call('SMEMBERS', board .. ':hidden'), redis.call('ZRANGE', board .. ':pinned', 0, -1)
local bound = min_score > 0 and string.format('%.17g', min_score / found.scale) or '(0'
local shown = visible_ranking(found.key, hidden, pinned, ties, ranking, bound)

-- Most members stood not far from here in the period before; the others are looked up one by one.
local before = found.previous and visible_ranking(found.previous, hidden, pinned, ties, ranking, bound)
local rank_before = {}
for _, entry in ipairs(before and before.page(1, math.min(2 * (offset + limit), 2000)) or {}) do
  rank_before[entry[1]] = entry[3]
end
local function previous_rank(member)
  if not before then return '' end
  if rank_before[member] then return rank_before[member] end
  local position, score = before.position_of(member)
  return position and before.rank_of(position, score) or '-'
end

local reply = {
  'OK',
  found.now_ms,
  found.period,
  found.named_at or '',
  found.starts_at or '',
  found.ends_at or '',
  found.complete and 1 or 0,
  shown.total,
  tonumber(redis.call('GET', found.key .. ':refused') or 0),
  shown.pinned,
}
for _, entry in ipairs(shown.page(offset + 1, limit)) do
  local member, score, rank = unpack(entry)
  reply[#reply + 1] = member
  reply[#reply + 1] = string.format('%.17g', score * found.scale)
  reply[#reply + 1] = rank
  reply[#reply + 1] = previous_rank(member)
end
return reply
