-- fade_entry: counts an entry on the boards of the decaying windows, in tables. Answers whether any took it, and whether any refused
-- it, since the member is new and the board is full, and whether one was reset since.
local function fade_entry(c, entry)
  local tracked, member, undoes, any, any_full = entry.tracked, entry.member, entry.undoes, false, false
  local full_windows, at, is_before = {}, c.batch.instants[entry.event], false
  for _, fade in ipairs(entry.fades) do
    local board, value = fade.board, fade.value
    if c.resets and was_reset(c, at, fade.window.name) then
      is_before = true
    elseif value ~= 0 and (not undoes or string.find(tracked.windows, ' ' .. window_mark(fade.window) .. ' ', 1, true)) then
      local old = member_score(c, board, member)
      if old == 0 and not undoes and board_size(board) >= most_members(c, ':' .. fade.window.name) then
        -- One that nobody reads any more, but where the clock goes back, refuses nothing.
        local is_over = fade.window.kind == 'half-life' and fade.number < fade.window.number
        if not is_over then
          any_full, full_windows[fade.window] = true, true
        end
      else
        local sum = old + value
        -- What rounding left of a sum that was taken back. What is left of long sums is more, but below the floor of the window.
        if math.abs(sum) < math.abs(value) * 1e-13 then sum = 0 end
        set_score(board, member, sum)
        any = true
        if is_tallied(c, entry, board.key) then count_action(c, entry, board.key, value, false) end
      end
    end
  end
  if tracked and tracked.took_windows then
    for _, window in ipairs(decaying_windows(c)) do
      if not full_windows[window] then tracked.took_windows = tracked.took_windows .. window_mark(window) .. ' ' end
    end
  end
  return any, any_full, is_before
end
