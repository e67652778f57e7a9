-- since_field: the field of the hash of moved members that tells since when what was done to an item counts, and what was done to the one
-- that it becomes: "1795176000000 0", the instants (milliseconds) at which they were let in again after a removal, see read_since.
local function since_field(item) return '\4' .. item end
