-- keeps_greatest: whether a member keeps a value instead of the one that it has: if it is greater.
local function keeps_greatest(value, old) return value > old end
