-- idle: notes that upkeep has nothing left to do on a board until something changes there. By that sweep_boards leaves it alone.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg since             int     the state's `changed` (microseconds), as upkeep read it
-- @returns OK                    it is done

local refusal = check_layout(redis.call('HGET', state_key(board), 'layout'))
if refusal then return refusal end
set_state(board, 'idle', string.format('%.0f', since))
return { 'OK' }
