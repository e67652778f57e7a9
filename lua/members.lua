-- members: some of the members that a window of a board shows, in no order, from a place on, for who keeps all of them. Pinned ones are
-- not among them. It writes nothing. A call costs a scan of about `count` entries, wherever it goes on.
--
-- A member that is on the board all the while is met, however scores change meanwhile, and may be met twice.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about sought window kept visible calendar
-- @args known
-- @arg place             text    empty at first, then what the call before answered
-- @arg count             int     about how many entries a call looks at, at least 1
-- @returns OK                    the members
-- @fields period
-- @field is_counted      flag    whether anything was ever counted on the board, as far as Redis knows
-- @field place           text    the place to go on from; empty when all were met
-- @field scale           number  what to multiply scores with to get those that are shown
-- @field metas           text    what stands beside their values, as a list of JSON, where it is asked for; else empty
-- @group member                  a member
-- @field id              id      the member's id
-- @field score           number  its score
-- @field order           number  the greatest stands first; among equal ones the greatest id does
-- @returns MOVED                 the place is of another server, or of another period or order of the window: begin anew
-- @returns UNCHANGED             it is as `known` says
-- @fields period
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local found, refusal = find_window(board, sought, number, known, 'since')
if not found then return refusal end

local lowest = sought.min_score > 0 and sought.min_score / found.scale or 0
local curated = read_curated(board)
read_scores(found, curated, {})
local is_counted = (found.clock.state.since or '') ~= ''
local reply = begin_reply(found, 'OK', is_counted and 1 or 0, '', string.format('%.17g', found.scale), '')
local metas_at = #reply
local place_at = metas_at - 2
if not found.key then return reply end

local index, is_doubtful
if sought.ties ~= '' then
  index, is_doubtful = kept_index(found, found.key, sought.ties)
end
local is_packed = index and not is_doubtful
local scanned = is_packed and index or found.key
local of = ' ' .. run_id() .. ' ' .. scanned
local cursor = place == '' and '0' or string.match(place, '^%d+')
if place ~= '' and place ~= cursor .. of then return { 'MOVED' } end
local next_cursor, entries = unpack(redis.call('ZSCAN', scanned, cursor, 'COUNT', count))
local listed = add_scanned(reply, entries, curated, lowest, is_packed)
if sought.has_metas == 1 then reply[metas_at] = read_metas(found, listed) end
if next_cursor ~= '0' then reply[place_at] = next_cursor .. of end
return reply
