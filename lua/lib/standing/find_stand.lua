-- find_stand: finds the sorted set that c.stands asks for: the current period of a calendar window, or that of a rolling one. It is simple
-- where a member's rank is its place in that set: nobody is curated, and neither ties nor scores make other ranks.
local function find_stand(c)
  local stands = c.stands
  local visible, clock = stands.visible, { state = {}, is_old = not c.layout }
  stands.number = stands.unit == 's' and last_season(c) or period_number(stands.unit, c, c.week_starts_on)
  local of_window = stands.window ~= ''
  stands.key = of_window and window_key(c.board, stands.window, stands.number) or period_key(c.board, stands.unit, stands.number)
  stands.found = { key = stands.key, board = c.board, clock = clock, asked = {} }
  local is_curated = not c.layout or c.said[stands.curated_at]
  stands.curated = is_curated and read_curated(c.board, clock) or { members = {}, is_moved = {}, pins = {}, pin_of = {} }
  stands.is_simple = not is_curated and visible.ties == '' and visible.ranking == 'ordinal'
end
