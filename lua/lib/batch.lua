-- batch: counting the events of a batch: reads what they concern, applies them in their order, and writes each changed key once.
-- @use batch_parts, board_writes, boards, brought, clock, entries, groups, ids, limits, moved, planning, removed, rolling, tracked, tracked_hashes
-- @use window_notes, windows

-- count_entries: counts the entries of a batch in their order, in tables, and gives their events their outcomes. An event that is there twice is a
-- duplicate the second time, unless it was refused before: another one may have put its member on the board meanwhile.
local function count_entries(c, first)
  local batch, taken = c.batch, {}
  local outcomes, known_by = batch.outcomes, batch.repeats and batch.known_by or {}
  local function take(e)
    local id = known_by[e]
    if id and id ~= '' and not string.find(REFUSED, outcomes[e], 1, true) then taken[id] = taken[id] or e end
  end
  for e = 1, batch.repeats and batch.count or 0 do
    if outcomes[e] == 'd' then take(e) end
  end
  for i = first, #c.entries do
    local entry = c.entries[i]
    local tracked, e = entry.tracked, entry.event
    local count = tracked and (c.revokes and take_out or tracked.undoes and undo_tracked or do_tracked) or count_entry
    outcomes[e] = known_by[e] and taken[known_by[e]] and 'd' or count(c, entry)
    take(e)
  end
  for e = 1, batch.repeats and batch.count or 0 do
    if known_by[e] and (taken[known_by[e]] or e) < e then outcomes[e] = 'd' end
  end
end

-- apply_batch: reads what counting a batch will look at, and counts it in tables.
local function apply_batch(c)
  local batch = c.batch
  gather_entries(c)
  if batch.has_tracked then load_once(c) end
  load_batch(c)
  for i = 1, batch.brought or 0 do
    bring_over(c, c.entries[i])
  end
  count_entries(c, 1 + (batch.brought or 0))
end

-- read_batch: the first half of count_batch: counts a batch in tables, and writes nothing but the clock. Answers the reply that ends the
-- call, if any, the ids to remember, and the commands of a plain batch.
local function read_batch(c, texts, first, width, plan)
  c.indexes = c.indexes or read_indexes(c.options)
  local batch, wrong = c.revokes, nil
  if not batch then
    batch, wrong = parse_events(c, texts, first, width)
  end
  if not batch then return wrong end
  c.batch, c.boards, c.board_list, c.hashes, c.periods, c.period_list = batch, {}, {}, {}, {}, {}
  c.groups, c.group_list, c.entries, c.late, c.touched, c.broken, c.once_sets, c.salts = {}, {}, {}, {}, {}, {}, {}, {}
  if c.moved then c.moved_stored = read_moved(c.board, c.moved, c.batch) end
  if batch.has_tracked then want_tracked(c) end
  local span = settle_clock(c)
  if span then return span end
  local refusal = c.before and c.before(batch.names)
  if refusal then return refusal end
  settle_indexes(c)
  if not c.layout then begin_fresh(c) end
  known_ids(c)
  if c.moved then c.moved_at = leave_out_moved(c.batch, c.moved_stored) end
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

-- count_batch: counts the events of a batch into every window of a target: reads what they concern, applies them in their order in
-- tables, and writes each changed key once. Answers the script's reply. `texts` holds the events from `first` on, each in `width` of them,
-- see parse_events. `plan` is a shorter way for plain batches, see plan_plain.
--
-- Nothing is written before everything was read, or it is taken back. What Redis refuses to write, it refuses at the first write of a
-- script: out of memory, on a replica, or when it cannot save. A command that the user may not run fails at its first use. Until
-- something is counted, the batch's ids are forgotten again, so that the same batch counts when it comes again. Those that were known before
-- stay.
local function count_batch(c, texts, first, width, plan)
  local done, reply, remembered, commands = pcall(read_batch, c, texts, first, width, plan)
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
