-- begin_window: marks that a rolling board was made, and gives it its expiry. It is kept through the next period, which is compared
-- with it, and for an hour more.
local function begin_window(c, window, number)
  local key = window_key(c.board, window.name, number)
  local _, ends_at = period_bounds(rows_of(c), window.unit, number + 1, c.week_starts_on)
  redis.call('ZADD', key, '-inf', '\0')
  redis.call('EXPIREAT', key, ends_at + 3600)
end
