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
  if c.indexes.actions then want_field(hash_of(c, board.key .. ':actions'), c.batch.names[entry.member]) end
end
