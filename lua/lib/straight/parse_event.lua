-- parse_event: the event of count_straight as a batch of one, see parse_events, and its entry, see gather_entries; nil where it is not counted straight: what is worth
-- a fraction cannot be taken back exactly, and values are no sums.
local function parse_event(c, event)
  local text, delta = event[5], tonumber(event[2])
  if not delta or delta % 1 ~= 0 or string.byte(text) == 61 then return nil end
  local batch = { names = { event[1] }, members = { 1 }, deltas = { delta }, instants = { c.at }, actions = {}, times = {} }
  batch.tracked, batch.items, batch.count = {}, {}, 1
  c.batch, c.hashes, c.hash_list, c.once_sets, c.salts = batch, {}, {}, {}, {}
  c.boards, c.board_list, c.periods = {}, {}, {}
  if string.find(text, '^[^\n]*:') then
    if not parse_tracked(c, batch, 1, text) then return nil end
  else
    batch.actions[1], batch.times[1], batch.items[1] = action_and_times(text)
  end
  local tracked = batch.tracked[1]
  c.undoes, c.first_sequence = tracked and tracked.undoes, c.indexes.ties and tonumber(c.sequence or 0)
  c.entry = { member = 1, delta = delta, action = batch.actions[1], times = batch.times[1] or 1, event = 1, tracked = tracked }
  return c.entry
end
