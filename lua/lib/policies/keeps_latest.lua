-- keeps_latest: whether a member keeps a value instead of the one that it has: if it happened later, or was sent later and happened at the same
-- time. `at` and `old_at` are the instants (milliseconds).
local function keeps_latest(_, _, at, old_at) return at >= old_at end
