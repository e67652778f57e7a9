-- scores: the scores of members on a window of a board, for who knows the distribution of an instant and finds their ranks in it. It writes nothing.
-- However many members are asked for, one command reads them.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about sought window kept visible calendar
-- @args known
-- @arg as_of             int     Unix milliseconds: scores that fade are those of this instant
-- @each member                   a member that is asked for
-- @field id              text    the member's id
-- @returns OK                    what they have
-- @fields period
-- @group score per member        what a member has; both empty when it is not shown
-- @field score           number? its score
-- @field pin             count?  its place among the pinned ones; 0 when it is not one of them
-- @returns UNCHANGED             it is as `known` says
-- @fields period
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local found, refusal = find_window(board, sought, number, known)
if not found then return refusal end

show_at(found, as_of)
local lowest = sought.min_score > 0 and sought.min_score / found.scale or 0
local asked = { unpack(ARGV, members) }
local curated = read_curated(board)
local scores = read_scores(found, curated, asked)
local reply = begin_reply(found, 'OK')
local at = #reply
for i = 1, #asked do
  local member = asked[i]
  local pin, score = found.key and curated.pin_of[member], scores[i]
  local is_shown = pin or not curated.is_moved[member] and is_enough(score, lowest)
  reply[at + 1] = is_shown and string.format('%.17g', (score or 0) * found.scale) or ''
  reply[at + 2] = is_shown and (pin or 0) or ''
  at = at + 2
end
return reply
