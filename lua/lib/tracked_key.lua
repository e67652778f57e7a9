-- tracked_key: the key of the hash of tracked actions, by the bucket of time in which they were recorded. `who` is an actor
-- ("actor:u7") or a visitor ("visitor:…").
local function tracked_key(board, bucket, who) return board .. ':tracked:' .. bucket .. ':' .. who end
