-- note_removal: notes how far a removal is, so that a request that comes again goes on there; '' where it has ended. What is an hour old
-- is forgotten: others may have changed the boards since.
local function note_removal(c, field, place)
  local KEPT_S, key = 3600, removing_key(c.board)
  if not c.removal then return end
  redis.call('HSET', key, field, c.removal .. ' ' .. place)
  redis.call('EXPIRE', key, KEPT_S)
end
