-- hold_to_latest: holds a clock to the latest hour and day that its state saw ("H:D"; "H:D:M" with the minute of UTC where grains are
-- counted), see ARCHITECTURE.md, Time. A small step back is taken for them, when they begin within a minute. A larger step is believed:
-- then the clock `is_behind`.
local function hold_to_latest(clock, seen)
  clock.seen = seen
  local hour, day, minute = string.match(seen or '', '^(-?%d+):(-?%d+):?(%d*)$')
  hour, day = tonumber(hour or clock.hour), tonumber(day or clock.day)
  local second = math.max(clock.second, 60 * (tonumber(minute) or 0))
  local function is_near(unit, size, count, own)
    local begins = count <= own and 0 or local_start(clock.rows, unit, size, count)
    return begins and begins <= clock.now + STEP_BACK_MS / 1000
  end
  local is_held = second <= clock.now + STEP_BACK_MS / 1000
  if is_held and is_near('hour', 3600, hour, clock.hour) and is_near('day', 86400, day, clock.day) then
    clock.hour, clock.day, clock.second = math.max(hour, clock.hour), math.max(day, clock.day), second
  else
    clock.is_behind = true
  end
end
