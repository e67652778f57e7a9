-- keeps_least: whether a member keeps a value instead of the one that it has: if it is less.
local function keeps_least(value, old) return value < old end
