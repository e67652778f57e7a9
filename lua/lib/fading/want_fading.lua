-- want_fading: which boards of decaying windows an entry counts on, and with how much: by each event's own time. Undos ask again when
-- they know what they undo.
local function want_fading(c, entry)
  local batch, fades, by_board, tracked = c.batch, {}, {}, entry.tracked
  local keeps_actions, name = c.indexes.actions, batch.names[entry.member]
  for _, window in ipairs(decaying_windows(c)) do
    for _, e in ipairs(entry.events) do
      for _, on in ipairs(decaying_at(c, window, tracked and tracked.done_at or batch.instants[e])) do
        local board, value = board_of(c, window_key(c.board, window.name, on[1])), batch.deltas[e] * on[2]
        local fade = by_board[board]
        if fade then
          fade.value = fade.value + value
        else
          fade = { board = board, value = value, window = window, number = on[1] }
          by_board[board], fades[#fades + 1] = fade, fade
          if not board.wanted[entry.member] then
            own_members(board)
            want_member(board, entry.member)
          end
          if keeps_actions then want_field(hash_of(c, board.key .. ':actions'), name) end
        end
      end
    end
  end
  entry.fades = fades
end
