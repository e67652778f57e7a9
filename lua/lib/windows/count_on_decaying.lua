-- count_on_decaying: counts an event on a board of a decaying window, in tables. false when the member is new and the board is full.
local function count_on_decaying(c, e, window, number, value)
  local sets, member, tracked = c.sets, c.batch.members[e], c.batch.tracked[e]
  local set = sets.of(window_key(c.board, window.name, number))
  local old = sets.get(set, member)
  local undoes = tracked and tracked.verb == 'u'
  if old == 0 and not undoes and sets.size(set) >= c.max_members then return false end
  local sum = old + value
  -- What rounding left of a sum that was taken back. What is left of long sums is more, but below the floor of the window.
  if math.abs(sum) < math.abs(value) * 1e-13 then sum = 0 end
  sets.put(set, member, sum)
  -- A double holds later instants than Redis takes.
  set.expires_at = set.expires_at or math.min(math.ceil(window.ends_at(number)) + 86400, 2 ^ 40)
  if c.indexes.actions then count_action(c, e, set.key, value, false) end
  return true
end
