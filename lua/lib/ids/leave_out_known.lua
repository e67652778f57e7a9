-- leave_out_known: gives the events whose id was seen before the outcome d. The batch's id stands for all its events, an event's own
-- id for its first event in the batch. Answers a function that remembers the ids.
local function leave_out_known(board, replay_window, now, batch_id, batch)
  local ids, event_of = {}, {}
  for e = 1, batch.count do
    local id = batch_id ~= '' and batch_id or batch.ids[e]
    if batch.outcomes[e] == 'c' and id ~= '' then
      if not event_of[id] then
        ids[#ids + 1], event_of[id] = id, e
        if batch_id ~= '' then break end
      else
        batch.outcomes[e] = 'd'
      end
    end
  end
  if #ids == 0 then
    return function() end
  end
  local seen, remember_all = known_ids(board, replay_window, now, ids)
  for i = 1, #ids do
    local first = event_of[ids[i]]
    for e = first, batch_id ~= '' and batch.count or first do
      if seen[i] and batch.outcomes[e] == 'c' then batch.outcomes[e] = 'd' end
    end
  end
  return remember_all
end
