-- seen: which events a target knows by their ids, so that they count on no other one. It writes nothing.
--
-- @key board                     prefix of the target's keys, "eb:{site:board}"
-- @arg sender            text    the class of senders, see lua/fields/batch.lua
-- @arg replay_window     int     seconds for which ids of that class are remembered at least
-- @each event                    one that is asked for
-- @field id              text    what it is known by: an id of its own, or its batch's, a slash and its place there
-- @returns OK                    what is known
-- @group known per event         of each in order
-- @field is_known        flag    whether it was counted there

local c = { board = board, sender = sender, replay_window = replay_window, has_all = '1', batch_id = '', journal = 0 }
-- Nothing else of the target matters, nor in which period it is.
c.units, c.retention, c.rolling, c.decaying, c.max_members, c.newcomers, c.stable_from = '', '', '', '', '0', '', math.huge
local refusal = open_call(c)
if refusal then return refusal end
local outcomes, ids = {}, {}
for i = events, #ARGV do
  outcomes[#outcomes + 1], ids[#ids + 1] = 'c', ARGV[i]
end
c.batch = { count = #ids, ids = ids, outcomes = outcomes }
known_ids(c)
local reply = { 'OK' }
for i = 1, #ids do
  reply[i + 1] = outcomes[i] == 'd' and 1 or 0
end
return reply
