-- window_key: the key of something of a rolling or decaying window: the sorted set of a period or generation (by its number),
-- its 'state', its 'lock'.
local function window_key(board, window, what) return board .. ':window:' .. window .. ':' .. what end
