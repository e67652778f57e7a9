-- place: the rank that a score would have on a window of a board, or the score of who has a rank. It writes nothing. Its commands
-- grow with the members that are hidden or pinned, never with the board.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about sought window kept visible calendar
-- @args known
-- @arg by                text    score or rank: what is asked with
-- @arg asked             text    the score or the rank
-- @returns OK                    what was found
-- @fields period
-- @field total           count   members that are shown
-- @field ranked_by       text    ordinal, competition or dense: the kind of the ranks. Dense ones are those of a competition while
--                                the board's distinct scores are not known
-- @field rank            count?  the rank that the score would have; empty when it would not be shown
-- @field score           number? the score of who has the rank; empty when nobody has, or it is pinned there
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
local ranking = sought.ranking
local distinct = ranking == 'dense' and found.key and kept_index(found, found.key, 'distinct')
local ranked_by = ranking == 'dense' and not distinct and 'competition' or ranking
local reply = begin_reply(found, 'OK', total, ranked_by)
if by == 'score' then
  local score = asked / found.scale
  reply[#reply + 1] = found.key and is_enough(score, lowest) and rank_of_score(found, curated, score, sought.ties, distinct, ranked_by)
    or ''
  reply[#reply + 1] = ''
  return reply
end
local place = asked - #curated.pins
local score = place > 0
  and found.key
  and (distinct and distinct_in_place(found, curated, distinct, place) or not distinct and score_in_place(found, curated, place))
reply[#reply + 1] = ''
reply[#reply + 1] = is_enough(score, lowest) and string.format('%.17g', score * found.scale) or ''
return reply
