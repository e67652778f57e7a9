-- metas_key: the hash of what stands beside the values of a board's members, as JSON.
local function metas_key(key) return key .. ':metas' end
