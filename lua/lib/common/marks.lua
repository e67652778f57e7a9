-- marks: members that no item and no actor can have, since ids have no control characters. Their score is -inf.

-- is_mark: whether a member of a sorted set or set is a mark of the engine.
local function is_mark(member) return string.byte(member, 1) == 0 end

-- whole_mark: the member of a rolling board that says that the board is right for every member. It goes when the board goes, and
-- a new generation takes it from every board.
local function whole_mark(generation) return '\0' .. generation end
