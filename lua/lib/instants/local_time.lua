-- local_time: an instant (milliseconds) as period_number takes it: the local hour and day that hold it, and its second.
local function local_time(c, at)
  if at >= c.same_from then return c.own or c end
  local second = math.floor(at / 1000)
  return {
    hour = local_count(rows_of(c), 'hour', 3600, second),
    day = local_count(rows_of(c), 'day', 86400, second),
    second = second,
    zone = c.zone,
  }
end
