-- count_batch: counts the events of a batch into every window of a target: reads what they concern, applies them in their order in
-- tables, and writes each changed key once. Answers the script's reply. `texts` holds the events from `first` on, see parse_events. `plan`
-- is a shorter way for plain batches, see plan_plain.
--
-- Nothing is written before everything was read, or it is taken back. What Redis refuses to write, it refuses at the first write of a
-- script: out of memory, on a replica, or when it cannot save. A command that the user may not run fails at its first use. Until
-- something is counted, the batch's ids are forgotten again, so that the same batch counts when it comes again. Those that were known before
-- stay.
local function count_batch(c, texts, first, plan)
  local done, reply, remembered, commands = pcall(read_batch, c, texts, first, plan)
  if done and reply then return reply end
  if done then
    done, reply = pcall(commands and plan.store or store_batch, c, remembered, commands)
    if done then return table.concat(c.batch.outcomes) end
  end
  if c.is_begun then error(reply) end
  if c.put or c.id_key then take_back(c, c.batch.names[1], 0, c.added_id) end
  for _, key in ipairs(c.remembered_in or {}) do
    local found, was_there = c.found_in and c.found_in[key] or {}, {}
    for i, id in ipairs(c.asked or {}) do
      was_there[id] = was_there[id] or found[i] == 1
    end
    for _, id in ipairs(remembered) do
      if not was_there[id] then redis.call('SREM', key, id) end
    end
  end
  return untouched(reply)
end
