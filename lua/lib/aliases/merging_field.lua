-- merging_field: the field of the hash of moved members that lists, on lines, the items whose tracked actions are being made those of an
-- item.
local function merging_field(item) return '\1' .. item end
