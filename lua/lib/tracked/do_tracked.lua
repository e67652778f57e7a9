-- do_tracked: counts a tracked action, unless it was done before: its outcome is then that of find_undone.
local function do_tracked(c, entry)
  local refusal, who, set, digest, place = find_undone(c, entry)
  local tracked = entry.tracked
  if refusal then return apply_seq(c, tracked, refusal) end
  tracked.took, tracked.took_windows, tracked.before = '', set and ' o=' .. tracked.once .. ' ' or ' ', {}
  local outcome = count_entry(c, entry)
  if outcome ~= 'c' then return outcome end
  if set then put_once(set, digest, true) end
  if place then take_visitor_place(place) end
  if tracked.verb == 'r' then remember_tracked(c, entry, who) end
  if c.journal then note_done(c, entry, who) end
  return apply_seq(c, tracked, 'c')
end
