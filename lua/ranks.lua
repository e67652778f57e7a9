-- ranks: the ranks of members on a window of a board, and the members around one of them. It writes nothing. Its commands grow with
-- the members that are asked for and with those that are hidden or pinned, never with the board.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @locks window number
-- @packed about sought window kept visible calendar
-- @args known
-- @arg around            int     members to answer on either side of the one that is asked for, alone; 0 where several are
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
-- @field place           count?  the place of the first of those around
-- @field around_ranks    text    the ranks of those around, a word each; empty where they are their places
-- @group standing per member     where a member stands; all empty when it is not shown
-- @field rank            count?  its rank
-- @field score           number? its score
-- @field higher          count?  members that stand higher and have more
-- @group neighbor                a member around the one that is asked for, itself among them
-- @field id              id      the member's id
-- @field score           number  its score
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
local total, ranked_by, score_above, metas = ranked.visible.total, ranked.ranked_by, above and text_of(above * scale) or '', ''
if around > 0 and scores[1] then
  local page, place = page_around(found, ranked, asked[1], around)
  if sought.has_metas == 1 then metas = read_metas(found, { asked[1], unpack(members_of(page)) }) end
  local score, words = text_of(scores[1] * scale), page_ranks(page)
  return begin_reply(found, 'OK', total, ranked_by, score_above, metas, place, words, ranks[1], score, higher[1], page_entries(page, scale))
end
if sought.has_metas == 1 and found.key then metas = read_metas(found, asked) end
local reply, texts = begin_reply(found, 'OK', total, ranked_by, score_above, metas, '', ''), TEXTS.of
local at = #reply
for i = 1, #asked do
  local score = scores[i]
  if score then
    reply[at + 1], reply[at + 2], reply[at + 3] = ranks[i], texts[score * scale] or text_of(score * scale), higher[i]
  else
    reply[at + 1], reply[at + 2], reply[at + 3] = '', '', ''
  end
  at = at + 3
end
return reply
