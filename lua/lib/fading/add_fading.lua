-- add_fading: adds what an event counts to the sums by member of the boards of a decaying window.
local function add_fading(c, window, member, at, delta)
  for _, on in ipairs(decaying_at(c, window, at)) do
    if on[2] ~= 0 then
      local board = fading_board(c, window, on[1])
      board.sums = board.sums or {}
      board.sums[member] = (board.sums[member] or 0) + delta * on[2]
    end
  end
end
