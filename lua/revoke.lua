-- revoke: takes back what somebody or something counted on one target in a span of time, one bounded chunk at a time: off every window that
-- took it, at its own instants. The journal tells what that is, as far as it reaches. Every step can be repeated: what is taken back leaves
-- the journal.
--
-- 1. Read TIME and the state, and since when the journal is whole.
-- 2. Look through some more of the journal, from the span's beginning on: nothing is recorded before it happens.
-- 3. Count what is found, negatively, as a batch of undos. Forget what is remembered of it.
-- 4. Take it out of the journal.
--
-- @frees memory       it takes back what was counted
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @table c target stable_offset counting batch calendar
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg journal           int     seconds for which the journal is kept; 0: there is none
-- @arg from_ms           int     Unix milliseconds: the span's beginning
-- @arg until_ms          int     Unix milliseconds: its end, which is not in it
-- @arg is_dry            int     1: only tell what would be taken back
-- @arg cursor            text    empty at first, then what the last chunk answered
-- @arg entries           int     about how many events to look at, at least 1
-- @each culprit                  what is to be taken back; any of them
-- @field kind            text    who, what, member or visitor, see fits_revoked
-- @field value           text    which
-- @returns OK                    a chunk is done
-- @field cursor          text    the cursor of the next chunk; empty when none is left
-- @field reaches_ms      count?  Unix milliseconds: everything that was recorded since is in the journal; empty where there is none
-- @field found           count   events that were taken back, or would be
-- @group member                  whose they were; some come twice
-- @field id              id      the member's id
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

c.known_for, c.newcomers, c.actor_history, c.journal = '0', '', actor_history, journal
local refusal = open_call(c)
if refusal then return refusal end
local since = string.match(c.kept_journal or '', '^(%d+) ')
if not (since and c.journal) then return { 'OK', '', '', 0 } end
local reaches_ms = math.max(since * 1000, c.now_ms - c.journal * 1000)
local place = cursor ~= '' and cursor or journal_place(c.board, math.max(from_ms, reaches_ms))
if not place then return { 'OK', '', reaches_ms, 0 } end
local reply = revoke_noted(c, entries, fits_revoked(c, from_ms, until_ms, ARGV, culprits), place, is_dry == 1)
if type(reply[1]) == 'string' and reply[1] == 'FOUND' then
  reply[1], reply[3] = 'OK', reaches_ms
end
return reply
