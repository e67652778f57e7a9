-- hour_and_day: the local hour and day that hold an instant (milliseconds).
local function hour_and_day(c, at)
  if at >= c.same_from then return c.own_hour or c.hour, c.own_day or c.day end
  local second = math.floor(at / 1000)
  return local_count(rows_of(c), 'hour', 3600, second), local_count(rows_of(c), 'day', 86400, second)
end
