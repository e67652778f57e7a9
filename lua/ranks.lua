-- ranks: where members stand on a window of a board, and who stands around one of them.
--
-- @key board                  prefix of the board's keys, "eb:{site:board}"
-- @arg window         text    the window's name
-- @arg kind           text    calendar, rolling, half-life, step or linear
-- @arg unit           text    one letter of "hdwmya": what a calendar or rolling window is made of, what steps or resets it
-- @arg length         number  periods in a rolling window; else 1
-- @arg amount         number  of a decaying window, see record
-- @arg at             number  likewise
-- @arg least          number  the least score that is shown; 0 for all that are above it
-- @arg ties           text    first, last or empty, see view
-- @arg ranking        text    ordinal, competition or dense
-- @arg number         text    the period's number, for a rolling window its last base period's; empty for the current one
-- @arg around         number  members to answer on either side of the first one asked for
-- @arg day_starts_at  number  seconds after local midnight
-- @arg week_starts_on number  0 = Monday … 6 = Sunday
-- @arg zone           text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @each member         id: of a member that is asked for
-- @returns OK         'OK', now (Unix milliseconds), number, the period's start, the window's start and end (seconds;
--                     empty where there is none), 1 when every member's score is right, total; then per member asked for:
--                     rank, score, members that stand higher with more than it has (all empty when it is not shown); then
--                     around the first one, itself among them: member, score, rank
-- @returns SPAN       'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include find_board view

local sought = { name = window, kind = kind, unit = unit, length = length, amount = amount, at = at }
local found, span = find_board(board, sought, number, day_starts_at, week_starts_on, zone)
if not found then return span end

local hidden, pinned = redis.call('SMEMBERS', board .. ':hidden'), redis.call('ZRANGE', board .. ':pinned', 0, -1)
local bound = least > 0 and string.format('%.17g', least / found.scale) or '(0'
local shown = view(found.key, hidden, pinned, ties, ranking, bound)
local reply = {
  'OK', found.now_ms, found.period, found.named_at or '', found.starts_at or '', found.ends_at or '',
  found.complete and 1 or 0, shown.total,
}
local first
for i = members, #ARGV, member_fields do
  local place, score = shown.place_of(ARGV[i])
  if i == members then first = place end
  reply[#reply + 1] = place and shown.rank_of(place, score) or ''
  reply[#reply + 1] = place and string.format('%.17g', score * found.scale) or ''
  reply[#reply + 1] = place and shown.higher_than(place, score) or ''
end
local from = first and math.max(1, first - around) or 1
for _, entry in ipairs(first and around > 0 and shown.page(from, first + around - from + 1) or {}) do
  local id, score, rank = unpack(entry)
  reply[#reply + 1] = id
  reply[#reply + 1] = string.format('%.17g', score * found.scale)
  reply[#reply + 1] = rank
end
return reply
