-- judge_event: whether an event may count: the outcome where it may not, see find_undone and find_done. Else nil, and what mark_now needs; nil as well where
-- an undo is of what was counted elsewhere or earlier.
local function judge_event(c, entry)
  local tracked = entry.tracked
  if not tracked then return nil, {} end
  if tracked.undoes or tracked.verb == 'r' then want_tracked(c) end
  local refusal, found
  if tracked.undoes then
    refusal, found = find_done(c, entry), {}
    if not refusal then
      local is_of_now = tracked.done_at >= c.same_from and tracked.units == c.units and entry.delta % 1 == 0
      local words = string.match(tracked.windows, ' o=%a ') or ' '
      if not is_of_now or tracked.windows ~= recorded_windows(c, { took_windows = usual_windows(c, words) }) then found = nil end
    end
  else
    refusal, found = find_undone(c, entry)
  end
  if refusal then return apply_seq(c, tracked, refusal) end
  if found then read_marks(c, tracked, found.who or tracked.who) end
  return nil, found
end
