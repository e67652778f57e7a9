-- curated_after: who is curated, with the scores that a call left them. `scores` are those that it changed, by member.
local function curated_after(curated, scores, lowest)
  local after = { members = curated.members, is_moved = curated.is_moved, pins = curated.pins, pin_of = curated.pin_of, scores = {} }
  for _, member in ipairs(curated.members) do
    after.scores[member] = scores[member] or curated.scores[member]
  end
  note_gaps(after, lowest)
  return after
end
