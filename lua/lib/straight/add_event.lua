-- add_event: adds an event of now to the boards of its plan, `worth` as a text where it is no undo. Answers its outcome; nil where more must be known.
local function add_event(c, entry, worth)
  local member, delta, is_bounded = c.batch.names[1], entry.delta, c.newcomers ~= ''
  if c.undoes then worth = string.format('%d', delta) end
  if c.options then
    c.note_places = entry.tracked and note_places
    if c.undoes and not wants_places(c) then return nil end
    return index_now(c, member, delta, worth, c.at, '', is_bounded, c.sequence, entry.action)
  end
  local outcome = count_now(c, member, delta, worth, entry.tracked and entry.tracked.done_at or c.at, '', is_bounded)
  if outcome or c.is_unfit then return outcome end
  for _, sum in pairs(c.undoes and c.sums or {}) do
    if sum == worth then return nil end
  end
  if not knows_state(c) then return nil end
  return finish_now(c, member, delta, entry.tracked and entry.tracked.done_at or c.at)
end
