-- do_tracked: counts a tracked action, unless it was done before: its outcome is then that of find_undone.
local function do_tracked(c, entry)
  local refusal, found = find_undone(c, entry)
  local tracked = entry.tracked
  if refusal then return apply_seq(c, tracked, refusal) end
  tracked.took, tracked.took_windows, tracked.before = '', found.set and ' o=' .. tracked.once .. ' ' or ' ', {}
  local outcome = count_entry(c, entry)
  return outcome == 'c' and mark_done(c, entry, found) or outcome
end
