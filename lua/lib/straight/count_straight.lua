-- count_straight: counts the only event of a call of record_tracked, if it is one of now: on the boards of a plan, see make_plan, with what is marked and
-- recorded of a tracked action. Answers the script's reply; nil where it is to be counted as a batch: then nothing is written, or it was taken
-- back. `event` holds its five texts, see record_tracked, and `about` the arguments that a plan follows from.
local function count_straight(c, about, event)
  local id, has_own = event[4], c.batch_id == ''
  local is_one = c.has_all == '1' and (id == '' or has_own and not string.find(id, '/', 1, true))
  if not is_one or string.find(c.sender, ':', 1, true) then return nil end
  c.indexes = c.options and read_indexes(c.options) or {}
  if c.indexes.dense or c.indexes.policy then return nil end
  c.known_as = has_own and id or c.batch_id
  -- What is counted with a journal is counted on plans of its own.
  about = c.journal and about .. '\njournal' or about
  local is_right, reply = pcall(count_event, c, about, event)
  if is_right and reply then
    if c.turns then turn_full(c, c.turns) end
    return reply
  end
  if c.is_begun then error(reply) end
  take_back(c, event[1], c.entry and c.entry.delta or 0, c.known_as)
  return not is_right and untouched(reply) or nil
end
