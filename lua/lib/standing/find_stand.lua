-- find_stand: finds the sorted set that c.stands asks for, in the current period of its window, or in the last season that began; and who is
-- curated on its board.
local function find_stand(c)
  local stands = c.stands
  if stands.key then return end
  stands.number = stands.unit == 's' and last_season(c) or period_number(stands.unit, c, c.week_starts_on)
  local of_window = stands.window ~= ''
  stands.key = of_window and window_key(c.board, stands.window, stands.number) or period_key(c.board, stands.unit, stands.number)
  stands.found = { key = stands.key, board = c.board, clock = { state = { indexes = c.kept_indexes } } }
  stands.head = (c.said[stands.asked_at] or '') .. '\n' .. stands.key .. '\n'
  stands.curated, stands.scores = find_curated(c), {}
end
