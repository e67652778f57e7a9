-- is_whole: whether the board of a rolling window's current period is right for every member: it carries the mark `marked`, its
-- window is not broken, and its base boards are there.
local function is_whole(board, clock, window, unit, length, current, marked)
  local said = clock.state['window:' .. window] or ''
  if not marked or clock.is_behind or string.sub(said, 1, 6) ~= 'whole ' then return false end
  return bases_exist(board, unit, current, length, clock.state['made:' .. unit])
end
