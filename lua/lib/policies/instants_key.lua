-- instants_key: the hash of when the values of a board's members happened (milliseconds), where the latest counts.
local function instants_key(key) return key .. ':instants' end
