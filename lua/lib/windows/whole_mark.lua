-- whole_mark: the member of a rolling board that says that the board is right for every member. It goes when the board goes, and
-- a new generation takes it from every board.
local function whole_mark(generation) return '\0' .. generation end
