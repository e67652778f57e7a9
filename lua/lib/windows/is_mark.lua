-- is_mark: whether a member of a sorted set or set is a mark of the engine: no id has control characters.
local function is_mark(member) return string.byte(member, 1) == 0 end
