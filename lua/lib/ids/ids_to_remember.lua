-- ids_to_remember: the ids by which a batch is known from now on, when it was counted in tables. A whole batch is known by its id, and its
-- events by those of their own. A part of one, and one of which anything was refused, is known event by event: so what was refused may come
-- again in its place, and what counted does not count again.
local function ids_to_remember(c)
  local batch, outcomes, ids, answered = c.batch, c.batch.outcomes, {}, c.batch.answered or {}
  local any_refused = string.find(table.concat(outcomes), '[' .. REFUSED .. ']')
  if c.is_remembered then
    if any_refused and c.id_key then
      redis.call('SREM', c.id_key, c.added_id)
      c.id_key = nil
    end
    return ids
  end
  local comes_whole = c.batch_id ~= '' and c.has_all and not any_refused
  if comes_whole then ids[1] = c.batch_id end
  for e = 1, comes_whole and batch.is_one and 0 or batch.count do
    local said = batch.ids[e]
    local id = batch.known_by and batch.known_by[e] or c.batch_id .. (said ~= '' and said or '/0')
    local is_own = c.batch_id == '' or said ~= '' and string.byte(said) ~= 47
    local is_refused = string.find(REFUSED, outcomes[e], 1, true) and not answered[e]
    if id ~= '' and (is_own or not comes_whole) and not is_refused then
      ids[#ids + 1] = id
      if string.find(id, '/', 1, true) then c.has_more_parts = true end
    end
  end
  return ids
end
