-- find_window: finds the sorted set that holds a window of a board, see find_board, or answers nil and the reply to give instead: a period
-- is refused before its board is looked at, and nothing is read of what the reader knows already.
--
-- - version: what stays the same until something that the window shows may have changed: the instant of the last change, and what follows
--   from the time; '' where that instant is not known. With another generation the clock went back, and its instants may come again
-- - curated: likewise of what is changed by hand
local function find_window(board, asked, calendar)
  local found, refusal = find_board(board, asked, calendar)
  if not found then return nil, refusal end
  local state, known = found.clock.state, asked.known
  found.version, found.curated = '', 'c' .. (state.curated or '0')
  local changed = found.changed or state.changed
  if changed and not found.clock.is_behind then
    local shown_at = found.shown_at or { found.period, found.previous and 1 or 0 }
    found.version = string.format('%s:%s:%d:%d', changed, found.clock.generation, shown_at[1], shown_at[2])
  end
  -- A page has a digest behind the version, see is_same_page.
  if known ~= '' and (known == found.curated or string.match(known, '^[^/]*') == found.version) then
    if known ~= found.curated then found.version = known end
    return nil, begin_reply(found, 'UNCHANGED')
  end
  return found
end
