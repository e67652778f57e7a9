-- is_newcomer: whether an entry puts a member on the board that is not on its longest window. That is the one of the last unit; where only
-- decaying windows are counted, the first of them.
local function is_newcomer(c, entry)
  if entry.undoes or entry.delta == 0 then return false end
  local periods = entry.group.periods
  local last, fade = periods[#periods], entry.fades and entry.fades[1]
  local of = last and last.unit or fade and fade.window.name
  if c.resets and of and was_reset(c, c.batch.instants[entry.event], of, last and last.number) then return false end
  local board = not last and fade and fade.board or last and last.kept and last.board
  return board and member_score(c, board, entry.member) == 0
end
