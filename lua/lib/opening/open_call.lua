-- open_call: asks for the state of a call that counts, and reads it. Answers the reply that refuses the call, if any.
--
-- Where the queue delivers the call, c.id_classes are the classes of ids that its events are looked for among: those of its senders, for what
-- they send themselves; the queue's own of these senders, which are remembered for as long as it delivers; and one with is_old, in which earlier
-- versions kept the ids of all messages. Nothing is added to that.
local function open_call(c)
  local more, names = c.options and { 'past', 'buckets', 'journal', 'others' } or {}, {}
  local class, queue_window = string.match(c.sender, '^(%l+):(%d+)$')
  if class then
    c.sender, names = class, { 'queued-' .. class, 'queue' }
  end
  for _, name in ipairs(names) do
    for _, field in ipairs({ 'ids:', 'turned:', 'parts:' }) do
      more[#more + 1] = field .. name
    end
  end
  c.time = c.time or redis.call('TIME')
  local last_window = ask_state(c, more)
  c.has_all = c.has_all == '1'
  if c.journal == 0 then c.journal = nil end
  local is_read, refusal = pcall(read_state, c)
  if not is_read then return untouched(refusal) end
  if c.options then
    c.sequence, c.past, c.kept_buckets, c.kept_journal, c.others = unpack(c.said, last_window + 1, last_window + 5)
  end
  for i, name in ipairs(refusal and {} or names) do
    local from = last_window + (c.options and 5 or 0) + 3 * i
    local turn, turned_at, parts_turn = unpack(c.said, from - 2, from)
    class = { sender = name, replay_window = tonumber(queue_window), is_old = i == 2, ids_turn = tonumber(turn or 0) }
    class.ids_turned_at, class.parts_turn = tonumber(turned_at or nil), tonumber(parts_turn or nil)
    if class.parts_turn and class.parts_turn >= class.ids_turn - 1 then c.has_parts = true end
    c.id_classes = c.id_classes or { c }
    c.id_classes[i + 1] = class
  end
  return refusal
end
