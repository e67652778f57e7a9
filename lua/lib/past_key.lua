-- past_key: the sorted set of a rolling window as it stood at the end of a period that is over; made when it is asked for.
-- @include window_key
local function past_key(board, window, number) return window_key(board, window, 'past:' .. number) end
