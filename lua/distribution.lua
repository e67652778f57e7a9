-- distribution: how many members of a window of a board lie in each interval of the scores. It writes nothing. Its commands grow with the
-- intervals that have members, of which there are a hundred at most, never with the board.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about sought window kept visible calendar
-- @args known
-- @arg origin            number  the stored score that stands for zero: of values the middle, else 0
-- @returns OK                    what was found
-- @fields period
-- @field total           count   members that are shown
-- @field pinned          count   how many of them are pinned: they are in no interval
-- @group interval                an interval with members, the best first; see count_intervals
-- @field best            number  the best score in it
-- @field score           number  the least score in it
-- @field members         count   members in it
-- @returns UNCHANGED             it is as `known` says
-- @fields period
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local found, refusal = find_window(board, sought, number, known)
if not found then return refusal end

local lowest = sought.min_score > 0 and sought.min_score / found.scale or 0
local curated = read_curated(board)
read_scores(found, curated, {})
local total = count_shown(found, curated, lowest)
local intervals = found.key and count_intervals(found, curated, origin, lowest) or {}
local reply = begin_reply(found, 'OK', total, #curated.pins)
for i = 1, #intervals, 3 do
  reply[#reply + 1] = string.format('%.17g', intervals[i] * found.scale)
  reply[#reply + 1] = string.format('%.17g', intervals[i + 1] * found.scale)
  reply[#reply + 1] = intervals[i + 2]
end
return reply
