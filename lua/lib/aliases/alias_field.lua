-- alias_field: the field of the hash of moved members that says what an item became. Where items are no members it begins with a byte that
-- no member has.
local function alias_field(item, has_actors) return has_actors and '\2' .. item or item end
