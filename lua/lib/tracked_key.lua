-- tracked_key: the key of the hash of the tracked actions of an actor ("actor:u7") or visitor ("visitor:…"), by the bucket of
-- time in which they were recorded.
local function tracked_key(board, bucket, who) return board .. ':tracked:' .. bucket .. ':' .. who end
