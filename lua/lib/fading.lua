-- fading: what an event adds to windows that fade.
-- @use batch_parts, boards, counting, decay, groups, hashes, limits

-- fade_entry: counts an entry on the boards of the decaying windows, in tables. Answers whether any took it, and whether any refused
-- it, since the member is new and the board is full, and whether one was reset since.
local function fade_entry(c, entry)
  local tracked, member, undoes, any, any_full = entry.tracked, entry.member, entry.undoes, false, false
  local full_windows, at, is_before = {}, entry.at, false
  for _, fade in ipairs(entry.fades) do
    local board, value = fade.board, fade.value
    if c.resets and was_reset(c, at, fade.window.name) then
      is_before = true
    elseif value ~= 0 and (not undoes or string.find(tracked.windows, ' ' .. fade.window.mark .. ' ', 1, true)) then
      local old = member_score(c, board, member)
      if old == 0 and not undoes and board_size(board) >= most_members(c, ':' .. fade.window.name) then
        -- One that nobody reads any more, but where the clock goes back, refuses nothing.
        local is_over = fade.window.kind == 'half-life' and fade.number < fade.window.number
        if not is_over then
          any_full, full_windows[fade.window] = true, true
        end
      else
        local sum = old + value
        if is_residue(sum, value, fade.window) then sum = 0 end
        set_score(board, member, sum)
        any = true
        if is_tallied(c, entry, board.key) then count_action(c, entry, board.key, value, false) end
      end
    end
  end
  if tracked and tracked.took_windows then
    for _, window in ipairs(decaying_windows(c)) do
      if not full_windows[window] then tracked.took_windows = tracked.took_windows .. window.mark .. ' ' end
    end
  end
  return any, any_full, is_before
end

-- fading_board: a board of a decaying window as tables.
local function fading_board(c, window, number)
  local board = window.boards[number]
  if not board then
    board = board_of(c, window_key(c.board, window.name, number))
    window.boards[number], board.fading = board, { window = window, number = number }
  end
  return board
end

-- add_fade: adds to what an entry counts on a board of a decaying window.
local function add_fade(c, entry, window, number, value)
  local board, fades = fading_board(c, window, number), entry.fades
  for i = 1, #fades do
    if fades[i].board == board and fades[i].window == window then
      fades[i].value = fades[i].value + value
      return
    end
  end
  fades[#fades + 1] = { board = board, value = value, window = window, number = number }
  if not board.wanted[entry.member] then want_member(board, entry.member) end
  if c.indexes.actions then want_field(hash_of(c.hashes, actions_key(board.key)), entry.name) end
end

-- want_fading: which boards of decaying windows an entry counts on, and with how much, by its event's own time. Undos ask again when
-- they know what they undo.
local function want_fading(c, entry)
  local tracked = entry.tracked
  local at = tracked and tracked.done_at or entry.at
  entry.fades = {}
  for _, window in ipairs(decaying_windows(c)) do
    if window.is_steady and at > window.oldest then
      add_fade(c, entry, window, window.number, entry.delta * 2 ^ ((at - window.starts_at) / window.amount))
    else
      for _, on in ipairs(decaying_at(c, window, at)) do
        add_fade(c, entry, window, on[1], entry.delta * on[2])
      end
    end
  end
end
