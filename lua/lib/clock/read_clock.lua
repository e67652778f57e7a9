-- read_clock: the time by Redis's clock, and the state of a target. `fields` are the fields of the state that the script needs
-- besides its own, `time` what TIME said to it, if it asked already. Answers a table:
-- - now (seconds), now_ms, now_us (microseconds)
-- - zone; rows, span_until: what it says, see zone_rows
-- - hour, day, second: the latest local hour and day, and the second, see period_number and hold_to_latest; hour and day are nil where the
--   zone is not known
-- - is_behind: the clock went back behind what the state saw, and is believed. Rolling windows are then incomplete
-- - is_old: the state has no layout yet
-- - generation: of the marks of rolling boards
-- - state: the fields' values; false for one that is not there
-- When the script cannot go on, it also answers the reply to give: an unknown layout, or a zone that does not reach.
local function read_clock(board, zone, day_starts_at, fields, time)
  -- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
  local REACH = 397 * 86400
  time = time or redis.call('TIME')
  local now = tonumber(time[1])
  local rows, span_until = zone_rows(zone, day_starts_at)
  local clock = {
    now = now,
    second = now,
    zone = zone,
    now_ms = now * 1000 + math.floor(time[2] / 1000),
    rows = rows,
    span_until = span_until,
    state = {},
  }
  clock.now_us = now * 1000000 + time[2]
  local values = redis.call('HMGET', state_key(board), 'layout', 'seen', 'generation', unpack(fields))
  -- A new state begins with the instant: another one may have been lost, and left boards with marks of its own generations. '0' was
  -- the first one before that rule.
  clock.is_old, clock.generation = not values[1], values[3] or values[1] and '0' or string.format('%d', clock.now_ms)
  for i = 1, #fields do
    clock.state[fields[i]] = values[i + 3]
  end
  local refusal = check_layout(values[1])
  if refusal then return clock, refusal end
  if now - REACH < rows[1].from or now + REACH > span_until then return clock, { 'SPAN', clock.now_ms, now - REACH, now + REACH } end
  clock.hour, clock.day = local_count(rows, 'hour', 3600, now), local_count(rows, 'day', 86400, now)
  hold_to_latest(clock, values[2])
  return clock
end
