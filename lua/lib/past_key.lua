-- past_key: the sorted set of a rolling window as it was at the end of a past period. It is built when it is asked for.
-- @include window_key
local function past_key(board, window, number) return window_key(board, window, 'past:' .. number) end
