-- read_batch: the first half of count_batch: counts a batch in tables, and writes nothing but the clock. Answers the reply that ends the
-- call, if any, the ids to remember, and the commands of a plain batch.
local function read_batch(c, texts, first, plan)
  c.indexes = read_indexes(c.options) or {}
  local batch, wrong = c.revokes, nil
  if not batch then
    batch, wrong = parse_events(c, texts, first)
  end
  if not batch then return wrong end
  c.batch, c.boards, c.board_list, c.hashes, c.hash_list, c.periods, c.period_list = batch, {}, {}, {}, {}, {}, {}
  c.groups, c.group_list, c.entries, c.late, c.touched, c.broken, c.once_sets, c.salts = {}, {}, {}, {}, {}, {}, {}, {}
  if c.moved then read_moved(c) end
  if batch.has_tracked then want_tracked(c) end
  local span = settle_clock(c)
  if span then return span end
  local refusal = c.before and c.before(batch.names)
  if refusal then return refusal end
  settle_indexes(c)
  if not c.layout then begin_fresh(c) end
  known_ids(c)
  if c.moved then leave_out_moved(c) end
  if c.known_for ~= '0' then leave_out_unknown(c) end
  local commands = plan and plan.read(c)
  if commands then return nil, ids_to_remember(c), commands end
  if c.newcomer_counts then c.newcomer_counts.more = {} end
  note_since(c)
  apply_batch(c)
  local remembered = ids_to_remember(c)
  for _, window in ipairs(c.windows) do
    roll_batch(c, window)
  end
  note_late(c)
  plan_writes(c)
  -- Where this first write fails, nothing was written.
  c.is_old = not c.layout
  keep_clock(c.board, c)
  return nil, remembered
end
