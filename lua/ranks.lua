-- ranks: the ranks of members on a window of a board, and the members around one of them. It writes nothing. Its commands grow with
-- the members that are asked for and with those that are hidden or pinned, never with the board.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @table sought window known
-- @arg kept              int     seconds for which the unit's periods are kept after their end; 0 = for ever
-- @args visible
-- @arg around            int     members to answer on either side of the first one asked for
-- @arg next              int     1: answer the next higher score than that of the first one; else 0
-- @args calendar
-- @each member                   a member that is asked for
-- @field id              text    the member's id
-- @returns OK                    where they stand
-- @fields period
-- @field total           count   members that are shown
-- @field ranked_by       text    ordinal, competition or dense: the kind of the ranks. Dense ones are those of a competition while
--                                the board's distinct scores are not known
-- @field next_score      number? the lowest score above that of the first one; empty when nobody has more, or it is pinned
-- @field metas           text    what stands beside the values of those asked for, and then of those around, as a list of JSON, where it is
--                                asked for; else empty
-- @group standing per member     where a member stands; all empty when it is not shown
-- @field rank            count?  its rank
-- @field score           number? its score
-- @field higher          count?  members that stand higher and have more
-- @group neighbor                a member around the first one, itself among them
-- @field id              id      the member's id
-- @field score           number  its score
-- @field rank            count   its rank
-- @returns UNCHANGED             it is as `known` says
-- @fields period
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

sought.kept = kept
local found, refusal = find_window(board, sought, { day_starts_at = day_starts_at, week_starts_on = week_starts_on, zone = zone })
if not found then return refusal end

local asked = {}
for i = members, #ARGV do
  asked[#asked + 1] = ARGV[i]
end
local ranked = rank_members(found, asked, min_score, ties, ranking, around)
local total = count_shown(found, ranked.curated, ranked.visible.lowest)
local standings, curated, ranked_by = ranked.standings, ranked.curated, ranked.ranked_by
local first = next == 1 and standings[1] and not curated.pin_of[asked[1]] and standings[1]
local above = first and next_higher(found, curated, first.score)
local next_score = above and string.format('%.17g', above * found.scale) or ''
local reply = begin_reply(found, 'OK', total, ranked_by, next_score, '')
local metas_at = #reply
for i = 1, #asked do
  local standing = standings[i]
  reply[#reply + 1] = standing and standing.rank or ''
  reply[#reply + 1] = standing and string.format('%.17g', standing.score * found.scale) or ''
  reply[#reply + 1] = standing and standing.higher or ''
end
if around > 0 and standings[1] then
  add_neighbors(found, curated, ranked.visible, asked[1], standings[1], around, ranked_by, function(member, score, rank)
    reply[#reply + 1] = member
    reply[#reply + 1] = string.format('%.17g', score * found.scale)
    reply[#reply + 1] = rank
    asked[#asked + 1] = member
  end)
end
if has_metas == 1 and found.key then reply[metas_at] = read_metas(found, asked) end
return reply
