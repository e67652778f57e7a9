-- deed_key: the key of the hash that remembers what an actor ("actor:u7") or visitor ("visitor:…") did reversibly, by the
-- stretch of time in which it was recorded.
local function deed_key(board, stretch, who) return board .. ':deeds:' .. stretch .. ':' .. who end
