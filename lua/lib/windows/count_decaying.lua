-- count_decaying: counts an event on the boards of the decaying windows, in tables, by its own time. Answers whether any took
-- it, and whether any refused it, since the member is new and the board is full.
local function count_decaying(c, e)
  local delta, tracked = c.batch.deltas[e], c.batch.tracked[e]
  local undoes = tracked and tracked.verb == 'u'
  local any, any_refused = false, false
  for _, window in ipairs(c.decaying) do
    local is_concerned, refused = not undoes or string.find(tracked.windows, ' ' .. window_mark(window) .. ' ', 1, true), false
    for _, on in ipairs(is_concerned and window.boards_of(c.batch.instants[e]) or {}) do
      local value = delta * on[2]
      local counted = value ~= 0 and count_on_decaying(c, e, window, on[1], value)
      any, refused = any or counted, refused or value ~= 0 and not counted
    end
    any_refused = any_refused or refused
    if tracked and tracked.took_windows and not refused then tracked.took_windows = tracked.took_windows .. window_mark(window) .. ' ' end
  end
  return any, any_refused
end
