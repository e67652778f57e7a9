-- want_fading: which boards of decaying windows an entry counts on, and with how much: by each event's own time. Undos ask again when
-- they know what they undo.
local function want_fading(c, entry)
  local batch, fades, by_board, tracked = c.batch, {}, {}, entry.tracked
  local function add(window, number, value)
    local board = window.boards[number]
    if not board then
      board = board_of(c, window_key(c.board, window.name, number))
      window.boards[number] = board
    end
    local fade = by_board[board]
    if fade then
      fade.value = fade.value + value
      return
    end
    fade = { board = board, value = value, window = window, number = number }
    by_board[board], fades[#fades + 1] = fade, fade
    if not board.wanted[entry.member] then want_member(board, entry.member) end
    if c.indexes.actions then want_field(hash_of(c, board.key .. ':actions'), batch.names[entry.member]) end
  end
  for _, window in ipairs(decaying_windows(c)) do
    local starts_at, life = window.starts_at, window.amount
    for _, e in ipairs(entry.events) do
      local at = tracked and tracked.done_at or batch.instants[e]
      if window.is_steady and at > window.oldest then
        add(window, window.number, batch.deltas[e] * 2 ^ ((at - starts_at) / life))
      else
        for _, on in ipairs(decaying_at(c, window, at)) do
          add(window, on[1], batch.deltas[e] * on[2])
        end
      end
    end
  end
  entry.fades = fades
end
