-- leave_out_known: gives events the outcome d whose id is in one of the two sets that take turns, of each class of ids that is looked among.
-- event_of tells each id's event; 0 for the id of the batch, which stands for all of them. c.found_in has by each set which of c.asked it has.
local function leave_out_known(c, ids, event_of)
  local call, outcomes, all = redis.call, c.batch.outcomes, c.batch.count
  -- Of one event, adding its id tells whether the current set has it. It is taken back where the event is refused, or what follows fails.
  if all == 1 and #ids == 1 and not c.id_classes and c.is_usual and c.id_turn and not c.asks_parts then
    local was_known = call('SISMEMBER', ids_key(c.board, c.sender, c.id_turn - 1), ids[1]) == 1
    local key = ids_key(c.board, c.sender, c.id_turn)
    if call('SADD', key, ids[1]) == 0 or was_known then
      outcomes[1] = 'd'
    else
      c.id_key, c.added_id = key, ids[1]
    end
    if c.now_ms % 64 == 0 then turn_full(c, key) end
    c.is_remembered = true
    return
  end
  -- An id that names an event of another batch is known when that batch came whole.
  for i = 1, c.asks_parts and #ids or 0 do
    local whole = string.match(ids[i], '^(.+)/%d+$')
    if whole and whole ~= c.batch_id then
      ids[#ids + 1], event_of[#ids + 1] = whole, event_of[i]
    end
  end
  c.asked, c.found_in = ids, {}
  for _, class in ipairs(c.id_classes or { c }) do
    local turn, at = class.ids_turn, class.ids_turned_at
    -- Idle for so long, the sets were not turned.
    local is_idle = not at or c.now >= at + 2 * class.replay_window
    for of_turn = turn, is_idle and turn + 1 or math.max(turn - 1, 0), -1 do
      local key = ids_key(c.board, class.sender, of_turn)
      local found = call('SMISMEMBER', key, unpack(ids))
      c.found_in[key] = found
      for i = 1, #ids do
        local event = event_of[i]
        for e = event == 0 and 1 or event, found[i] == 1 and (event == 0 and all or event) or 0 do
          if outcomes[e] == 'c' then outcomes[e] = 'd' end
        end
      end
    end
  end
end
