-- read_batch: the first half of count_batch: counts a batch in tables, and writes nothing but the clock. Answers the reply that ends the call, if any,
-- and the ids to remember.
local function read_batch(c, texts, first)
  c.indexes = read_indexes(c.options) or {}
  local batch, wrong = parse_events(c, texts, first)
  if not batch then return wrong end
  c.batch, c.boards, c.board_list, c.hashes, c.hash_list, c.periods, c.period_list = batch, {}, {}, {}, {}, {}, {}
  c.groups, c.group_list, c.entries, c.entry_of, c.late, c.touched, c.broken = {}, {}, {}, {}, {}, {}, {}
  c.once_sets, c.salts = {}, {}
  if batch.has_tracked then want_tracked(c) end
  local span = settle_clock(c)
  if span then return span end
  settle_indexes(c)
  begin_fresh(c)
  local remembered = known_ids(c)
  apply_batch(c)
  for _, window in ipairs(c.windows) do
    roll_batch(c, window)
  end
  plan_writes(c)
  -- Where this first write fails, nothing was written.
  c.is_old = not c.layout
  keep_clock(c.board, c)
  return nil, remembered
end
