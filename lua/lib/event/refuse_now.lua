-- refuse_now: the outcome of an event of now that does not count: d when one of the two sets that take turns had its id before, g when its
-- member is kept off. Else nil; the id is remembered for a window from now on.
local function refuse_now(c, member, id)
  if id ~= '' then
    local key = ids_key(c.board, c.sender, c.id_turn)
    local was_known = redis.call('SISMEMBER', ids_key(c.board, c.sender, c.id_turn - 1), id) == 1
    if redis.call('SADD', key, id) == 0 or was_known then return 'd' end
    c.id_key = key
    if c.now_ms % 64 == 0 then turn_full(c, key) end
  end
  local said = c.moved and find_moved(c, { member })[1]
  return said and string.sub(said, 1, 3) == 'off' and 'g' or nil
end
