-- leave_out_known: gives the events that were seen before the outcome d. An event is seen when the batch's id is, or when what the
-- event is known by is: its own id, or the batch's id and its place. An id stands for its first event in the batch. Answers a
-- function that remembers the ids: of a whole batch its id and the events' own, of a part what each event is known by.
local function leave_out_known(prefix, replay_window, now, batch_id, has_all, batch)
  local ids, event_of, own = {}, {}, {}
  for e = 1, batch_id ~= '' and batch.count or 0 do
    if batch.outcomes[e] == 'c' then ids[1] = batch_id end
  end
  for e = 1, batch.count do
    local id = batch.ids[e]
    if batch.outcomes[e] == 'c' and id ~= '' then
      local is_own = string.sub(id, 1, 1) ~= '/'
      if not is_own then id = batch_id .. id end
      if not event_of[id] then
        ids[#ids + 1], event_of[id], own[id] = id, e, is_own
      else
        batch.outcomes[e] = 'd'
      end
    end
  end
  if #ids == 0 then
    return function() end
  end
  local seen, remember_all = known_ids(prefix, replay_window, now, ids)
  local remembered = {}
  for i, id in ipairs(ids) do
    local e = event_of[id]
    if seen[i] and e then batch.outcomes[e] = 'd' end
    if e and (own[id] or not has_all) or not e and has_all then remembered[#remembered + 1] = id end
  end
  for e = 1, batch_id ~= '' and seen[1] and batch.count or 0 do
    if batch.outcomes[e] == 'c' then batch.outcomes[e] = 'd' end
  end
  return function()
    if #remembered > 0 then remember_all(remembered) end
  end
end
