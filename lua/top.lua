-- top: one page of a window of a board, best first, with the period's bounds on Redis's own clock. It writes nothing. It costs nine
-- commands at most, whatever `limit`, and one more where it is asked for tallies; see ARCHITECTURE.md, What a read costs.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @locks window number
-- @packed about sought window kept visible calendar
-- @args known
-- @arg offset            int     members to skip
-- @arg limit             int     members to answer at most, at least 1
-- @arg compared          int     members of the period before whose ranks are read; 0 = none
-- @arg tallied         int     1: tell what each member did by action, where the board keeps that
-- @returns OK                    the page
-- @fields period
-- @field total           count   members that are shown
-- @field refused         count   events of new members that the full period refused
-- @field pinned          count   how many members are pinned
-- @field metas           text    what stands beside their values, as a list of JSON, where it is asked for; else empty
-- @field ranks           text    the ranks of those on the page, a word each; empty where they are their places
-- @field previous_ranks  text    their ranks in the period before, a word each: 0 for who was not among those compared; empty where there is none to compare
--                                with
-- @field tallies         text    what each of them did, a line each: "action count sum …", empty where that is not kept; empty where it is not asked for
-- @group entry                   a member on the page, the best first
-- @field id              id      the member's id
-- @field score           number  its score
-- @returns UNCHANGED             it is as `known` says, or the page is, since what was counted does not show there
-- @fields period
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local found, refusal = find_window(board, sought, number, known)
if not found then return refusal end

local ties, ranking = sought.ties, sought.ranking
local lowest = sought.min_score > 0 and sought.min_score / found.scale or 0
local curated = read_curated(board)
read_scores(found, curated, {})
local total = count_shown(found, curated, lowest)
local refused = sought.kind == 'calendar' and tonumber(redis.call('GET', refused_key(found.key)) or 0) or 0
if not found.key then return begin_reply(found, 'OK', total, refused, #curated.pins, '', '', '', '') end

local head, is_unsure = read_head(found, ties, offset + limit + #curated.members)
local shown = list_shown(head, curated, curated.pins, lowest)
local page =
  { shown = shown, ranks = ranks_of(shown, #curated.pins, ranking), first = offset + 1, last = math.min(offset + limit, #shown / 2) }
local is_compared = compared > 0 and found.previous and not is_unsure
local earlier = is_compared and read_earlier(found, curated, ties, ranking, lowest, compared)
local ranks, previous, tallies, metas = page_ranks(page), earlier and previous_ranks(page, earlier) or '', '', ''
if tallied == 1 then tallies = read_tallies(found, page) end
if sought.has_metas == 1 then metas = read_metas(found, members_of(page)) end
local reply = begin_reply(found, 'OK', total, refused, #curated.pins, metas, ranks, previous, tallies, page_entries(page, found.scale))
if is_same_page(reply, known, found.scale) then return { 'UNCHANGED', unpack(reply, 2, 12) } end
return reply
