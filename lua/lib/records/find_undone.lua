-- find_undone: whether a tracked action may count: the outcome p when something newer was applied, s when it was done before, r when no
-- more may be remembered as done, v when too many visitors of its address or of a network of that came before. Else nil, and what mark_done needs: who
-- does it, the mark of what counts once and its set, see once_mark, and the visitor's place, see visitor_place.
local function find_undone(c, entry)
  local tracked, e = entry.tracked, entry.event
  if tracked.seq and is_superseded(c, tracked) then return 'p' end
  local is_visitor = string.sub(tracked.who, 1, 8) == 'visitor:'
  local who = is_visitor and name_visitor(c, tracked, c.batch.instants[e]) or tracked.who
  if tracked.verb == 'r' then
    local record, _, valid = find_tracked(c, who, tracked.what, 1)
    local stands = record and valid and string.sub(record, 1, 5) == 'done,'
    if stands and not is_moved_since(c, entry, record) then return 's' end
  end
  local set, digest = once_mark(c, tracked, c.batch.instants[e], who)
  if set and set.has[digest] then return 's' end
  if set and set.is_full then return 'r' end
  local place = set and is_visitor and visitor_place(c, tracked, c.batch.instants[e])
  if place and not get_field(place.hash, place.who) and is_crowded(c, place) then return 'v' end
  return nil, { who = who, set = set, digest = digest, place = place }
end
