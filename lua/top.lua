-- top: one page of a window of a board, best first, with the period's bounds on Redis's own clock.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args window
-- @args visible
-- @arg offset            int     members to skip
-- @arg limit             int     members to answer at most, at least 1
-- @args calendar
-- @returns OK                    the page
-- @fields period
-- @field total           count   members that are shown
-- @field refused         count   events of new members that the full period refused
-- @field pinned          count   how many members are pinned
-- @group entry                   a member on the page, the best first
-- @field id              id      the member's id
-- @field score           number  its score
-- @field rank            count   its rank
-- @field previous_rank   count?  its rank in the period before; 0 when it was not on that board, empty where there is none to
--                                compare with
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

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
  return position and before.rank_of(position, score) or 0
end

local reply = begin_reply(found, shown.total, tonumber(redis.call('GET', found.key .. ':refused') or 0), shown.pinned)
for _, entry in ipairs(shown.page(offset + 1, limit)) do
  local member, score, rank = unpack(entry)
  reply[#reply + 1] = member
  reply[#reply + 1] = string.format('%.17g', score * found.scale)
  reply[#reply + 1] = rank
  reply[#reply + 1] = previous_rank(member)
end
return reply
