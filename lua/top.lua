-- top: one page of a window of a board, best first, with the period's bounds on Redis's own clock. It writes nothing. It costs nine
-- commands at most, whatever `limit`, and one more where it is asked for tallies; see ARCHITECTURE.md, What a read costs.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @table sought window known
-- @arg kept              int     seconds for which the unit's periods are kept after their end; 0 = for ever
-- @args visible
-- @arg offset            int     members to skip
-- @arg limit             int     members to answer at most, at least 1
-- @arg compared          int     members of the period before whose ranks are told; 0 = none
-- @arg tallied         int     1: tell what each member did by action, where the board keeps that
-- @args calendar
-- @returns OK                    the page
-- @fields period
-- @field total           count   members that are shown
-- @field refused         count   events of new members that the full period refused
-- @field pinned          count   how many members are pinned
-- @field metas           text    what stands beside their values, as a list of JSON, where it is asked for; else empty
-- @group entry                   a member on the page, the best first
-- @field id              id      the member's id
-- @field score           number  its score
-- @field rank            count   its rank
-- @field previous_rank   count?  its rank in the period before; 0 when it was not among those compared, empty where there is none
--                                to compare with
-- @field tally           text    "action count sum …"; empty where it was not asked for, or is not kept
-- @returns UNCHANGED             it is as `known` says, or the page is, since what was counted does not show there
-- @fields period
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

sought.kept = kept
local found, refusal = find_window(board, sought, { day_starts_at = day_starts_at, week_starts_on = week_starts_on, zone = zone })
if not found then return refusal end

local lowest = min_score > 0 and min_score / found.scale or 0
local curated = read_curated(board, found.clock)
read_scores(found, curated, {})
local total = count_shown(found, curated, lowest)
local refused = kind == 'calendar' and tonumber(redis.call('GET', found.key .. ':refused') or 0) or 0
local reply, listed = begin_reply(found, 'OK', total, refused, #curated.pins, ''), {}
local metas_at = #reply
if not found.key then return reply end

local first, head = #reply + 1, read_head(found, ties, offset + limit + #curated.members, true)
local is_compared = compared > 0 and found.previous and not head.is_unsure
local is_listed, scale, last, place = {}, found.scale, metas_at, #curated.pins
local function append(member, score, rank)
  if scale ~= 1 or type(score) == 'number' then score = string.format('%.17g', score * scale) end
  reply[last + 1], reply[last + 2], reply[last + 3], reply[last + 4], reply[last + 5] = member, score, rank, '', ''
  listed[#listed + 1], is_listed[member], last = member, true, last + 5
end
for pinned = offset + 1, math.min(offset + limit, #curated.pins) do
  append(curated.pins[pinned], curated.scores[curated.pins[pinned]] or 0, pinned)
end
rank_each(head, curated, ranking, lowest, function(member, score, rank)
  if place >= offset + limit then return true end
  place = place + 1
  if place > offset then append(member, score, rank) end
end)
local before = is_compared and previous_ranks(found, curated, ties, ranking, lowest, compared, is_listed)
for i = 1, before and #listed or 0 do
  reply[metas_at + 5 * i - 1] = before[listed[i]] or 0
end
if tallied == 1 then add_tallies(found, reply, first) end
if has_metas == 1 then reply[metas_at] = read_metas(found, listed) end
if is_same_page(reply, sought.known) then return { 'UNCHANGED', unpack(reply, 2, 12) } end
return reply
