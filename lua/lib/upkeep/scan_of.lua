-- scan_of: what a scan of a rolling window is of: its period, and the generations of marks and indexes. Under other indexes it begins anew:
-- theirs would hold those alone who were not met yet.
local function scan_of(c) return string.format('%d:%s:%s', c.current, c.clock.generation, c.index_generation) end
