-- drop_member: removes the actor that is erased from a board, and from every index that was ever kept beside it. Notes in c whether it
-- was there.
local function drop_member(c, key)
  local call, score = redis.call, redis.call('ZSCORE', key, c.actor)
  if score then
    if c.is_dense then change_holders(c, key, { tonumber(score) }, { 0 }) end
    call('ZREM', key, c.actor)
    c.is_changed = true
  end
  for generation = 0, tonumber(c.index_generation) do
    for _, order in ipairs({ 'first', 'last' }) do
      call('ZREM', index_key(key, order, string.format('%d', generation)), c.actor)
    end
  end
  if call('HDEL', key .. ':actions', c.actor) == 1 then c.is_changed = true end
end
