-- joining: who puts new members on a board.
-- @use boards, groups, limits

-- crowds_now: whether an event of now, whose member is new on the longest window, is one too many of its sender. What was counted of it is
-- then taken back, and its id forgotten.
local function crowds_now(c, member, delta)
  local longest = tonumber(c.sums[#c.units] or nil)
  if c.newcomers == '' or delta == 0 or longest ~= delta or may_join(c, 1) then return false end
  take_back(c, member, delta, c.known_as)
  c.id_key = nil
  return true
end

-- is_newcomer: whether an entry puts a member on the board that is not on its longest window. That is the one of the last unit; where only
-- decaying windows are counted, the first of them.
local function is_newcomer(c, entry)
  if entry.undoes or entry.delta == 0 then return false end
  local periods = entry.group.periods
  local last, fade = periods[#periods], entry.fades and entry.fades[1]
  local of = last and last.unit or fade and fade.window.name
  if c.resets and of and was_reset(c, entry.at, of, last and last.number) then return false end
  local board = not last and fade and fade.board or last and last.kept and last.board
  return board and member_score(c, board, entry.member) == 0
end
