-- rest: says that upkeep begins to look at a board, or until when it need not look again. Between the two, whoever makes work for
-- upkeep empties the state's `due`; then it is not said, and upkeep looks again.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg owner             text    who keeps the board; other characters than spaces
-- @arg until_s           int     seconds: nothing is due until then; 0: upkeep begins
-- @arg digest            text    of what is configured: with another one upkeep looks again
-- @returns OK                    it is done

local values = redis.call('HMGET', state_key(board), 'layout', 'due')
local refusal = check_layout(values[1])
if refusal then return refusal end
if until_s == 0 then
  set_state(board, 'due', owner)
elseif values[2] == owner then
  set_state(board, 'due', string.format('%d %s', until_s, digest))
end
return { 'OK' }
