-- leave_out_known: gives events the outcome d whose id is in one of the two sets that take turns. event_of tells each id's event; 0 for
-- the id of the batch, which stands for all of them.
local function leave_out_known(c, ids, event_of)
  local outcomes, all = c.batch.outcomes, c.batch.count
  -- Idle for so long, the sets were not turned.
  if not c.ids_turned_at or c.now >= c.ids_turned_at + 2 * c.replay_window then return end
  -- An id that names an event of another batch is known when that batch came whole.
  for i = 1, c.remembers_parts and #ids or 0 do
    local whole = string.match(ids[i], '^(.+)/%d+$')
    if whole and whole ~= c.batch_id then
      ids[#ids + 1], event_of[#ids + 1] = whole, event_of[i]
    end
  end
  for turn = c.ids_turn, math.max(c.ids_turn - 1, 0), -1 do
    local found = redis.call('SMISMEMBER', ids_key(c.board, c.sender, turn), unpack(ids))
    for i = 1, #ids do
      local event = event_of[i]
      for e = event == 0 and 1 or event, found[i] == 1 and (event == 0 and all or event) or 0 do
        if outcomes[e] == 'c' then outcomes[e] = 'd' end
      end
    end
  end
end
