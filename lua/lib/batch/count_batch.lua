-- count_batch: counts the events of a batch into every window of a target: reads what they concern, applies them in their order in
-- tables, and writes each changed key once. Answers the script's reply. `texts` holds the events from `first` on, see parse_events. `plan`
-- is a shorter way for plain batches, see plan_plain.
--
-- Nothing is written before everything was read, or it is taken back. What Redis refuses to write, it refuses at the first write of a
-- script: out of memory, on a replica, or when it cannot save.
local function count_batch(c, texts, first, plan)
  local read, reply, remembered, commands = pcall(read_batch, c, texts, first, plan)
  if not read then
    if c.put or c.id_key then take_back(c, c.batch.names[1], 0, c.added_id) end
    return untouched(reply)
  end
  if reply then return reply end
  local written, problem = pcall(commands and plan.store or store_batch, c, remembered, commands)
  if written then return { 'OK', c.now_ms, table.concat(c.batch.outcomes) } end
  local text = type(problem) == 'table' and problem.err or tostring(problem)
  for _, code in ipairs({ 'OOM', 'READONLY', 'MISCONF', 'NOREPLICAS' }) do
    if string.find(text, '^%-?' .. code) then return untouched(text) end
  end
  error(problem)
end
