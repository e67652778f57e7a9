-- begin_window: marks that a rolling board was made, and gives it its expiry.
local function begin_window(c, window, number)
  local key = window_key(c.board, window.name, number)
  redis.call('ZADD', key, '-inf', '\0')
  redis.call('EXPIREAT', key, rolling_expiry(rows_of(c), window.unit, number, c.week_starts_on))
end
