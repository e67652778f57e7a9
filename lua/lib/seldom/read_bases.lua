-- read_bases: what the base boards of a rolling window that leave and come hold of a member, where the window's state knows of them. Answers
-- whether the board that leaves has its mark, and by how much the score of the next period differs from that of now.
local function read_bases(c, window, current, member)
  local call, leaving, coming = redis.call, { true }, nil
  local first = current - window.length + 1
  if string.find(window.made, ' ' .. first .. ' ', 1, true) then
    leaving = call('ZMSCORE', period_key(c.board, window.unit, first), '\0', member)
  end
  if leaving[1] and string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then
    coming = call('ZSCORE', period_key(c.board, window.unit, current + 1), member)
  end
  return leaving[1], tonumber(coming or 0) - tonumber(leaving[2] or 0)
end
