-- explain: what a member's score on a window of a board is made of, by base period and action. Hidden members have no parts. It
-- writes nothing. A rolling window costs two commands for each of its base periods; what is more than a page is left for the next one.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about sought window kept visible calendar
-- @args known
-- @arg id                text    the member's id
-- @arg before            text    of a rolling window: base periods before this one, by its number; empty: all
-- @arg most              int     of a rolling window: base periods to read at most, the latest
-- @returns OK                    the parts of its score
-- @fields period
-- @field score           number  the member's score; of a rolling window the sum of the parts that are answered
-- @field scale           number  what to multiply the sums below with to get the score
-- @field counted_since   int?    seconds: the window counts since then; empty where all of it was counted, or where nobody knows
-- @field next            int?    the first base period that was read, where there are others before it
-- @group part                    a base period that holds the member, the oldest first
-- @field number          int     the base period's number
-- @field starts_at       int?    seconds; empty where there is none
-- @field sum             number  the member's sum in it
-- @field actions         text    "action count sum …", by the weights of their time
-- @returns UNCHANGED             it is as `known` says
-- @fields period
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local found, refusal = find_window(board, sought, number, known, 'since')
if not found then return refusal end

local parts, score, next = {}, 0, ''
local curated = read_curated(board)
if curated.is_moved[id] and not curated.pin_of[id] then
  parts = {}
elseif sought.kind == 'rolling' then
  score, next = add_base_parts(found, id, sought.week_starts_on, parts, tonumber(before), most)
else
  score = add_part(parts, found.key, found.period, found.named_at, id)
end
found.is_empty = score == 0
local scale, since = string.format('%.17g', found.scale), find_since(found)
local reply = begin_reply(found, 'OK', string.format('%.17g', score * found.scale), scale, since or '', next)
for i = 1, #parts do
  reply[#reply + 1] = parts[i]
end
return reply
