-- progress_field: the field of the hash of moved members that tells how far making an item another one is, see alias.
local function progress_field(item) return '\3' .. item end
