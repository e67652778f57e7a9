-- ranks: the ranks of members on a window of a board, and the members around one of them. It writes nothing. Its commands grow with
-- the members that are asked for and with those that are hidden or pinned, never with the board.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @locks window number
-- @packed about sought window kept visible calendar
-- @args known
-- @arg around            int     members to answer on either side of the first one asked for
-- @arg next              int     1: answer the next higher score than that of the first one; else 0
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

local found, refusal = find_window(board, sought, number, known)
if not found then return refusal end

local asked = { unpack(ARGV, members) }
local ranked = rank_members(found, asked, around, true)
local curated, standings = ranked.curated, ranked.standings
local ranks, scores, higher, scale = standings.ranks, standings.scores, standings.higher, found.scale
local above = next == 1 and scores[1] and not curated.pin_of[asked[1]] and next_higher(found, curated, scores[1])
local reply = begin_reply(found, 'OK', ranked.visible.total, ranked.ranked_by, above and text_of(above * scale) or '', '')
local metas_at, texts, at = #reply, TEXTS.of, #reply
for i = 1, #asked do
  local score = scores[i]
  if score then
    reply[at + 1] = ranks[i]
    reply[at + 2] = texts[score * scale] or text_of(score * scale)
    reply[at + 3] = higher[i]
  else
    reply[at + 1], reply[at + 2], reply[at + 3] = '', '', ''
  end
  at = at + 3
end
if around > 0 and scores[1] then add_neighbors(reply, found, ranked, asked, around) end
if sought.has_metas == 1 and found.key then reply[metas_at] = read_metas(found, asked) end
return reply
