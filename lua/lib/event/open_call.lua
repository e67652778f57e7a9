-- open_call: reads the arguments of a call that counts, the clock and the state, and keeps what it finds in c. Answers the reply that
-- refuses the call, if any.
--
-- c then has, besides the arguments:
-- - now (seconds), now_ms, now_us (microseconds), and state: what the state says, by field
-- - hour, day: the local ones of the clock, where the zone's offset is stable. same_from: since when (milliseconds) they are
-- - is_usual: the state's layout is known, they are the latest ones that it saw, and it knows what is counted, see note_since
-- - windows: the rolling windows, each { name, unit, length, index of the unit, said: its state, made: its base boards }
-- - id_turn: the number of the set that ids go into, while that takes turns with the one before
local function open_call(c, stable_from, stable_until, stable_offset)
  local units, time = c.units, redis.call('TIME')
  local now = tonumber(time[1])
  c.now, c.now_ms, c.same_from = now, now * 1000 + (time[2] - time[2] % 1000) / 1000, math.huge
  c.now_us = now * 1000000 + time[2]
  -- Digits of a fixed number can be checked without being read.
  if #c.retention ~= 10 * #units or not string.find(c.retention, '^%d*$') or not string.find(units, '^[hdwmya]*$') then
    return redis.error_reply('UNTOUCHED ERR a retention is needed for each unit, and units are letters of "hdwmya"')
  end
  if c.replay_window <= 0 then return redis.error_reply('UNTOUCHED ERR replay_window must be above 0') end
  if not string.find(c.max_members .. ' ', '^%d+ ') then return redis.error_reply('UNTOUCHED ERR max_members must begin with a number') end
  local refusal = read_state(c)
  if refusal then return refusal end
  if now >= stable_from and now < stable_until then
    local hour_time, day_time = now + stable_offset % 3600, now + stable_offset - c.day_starts_at
    local hour, day = (hour_time - hour_time % 3600) / 3600, (day_time - day_time % 86400) / 86400
    c.hour, c.day = hour, day
    c.same_from = (now - math.min(hour_time % 3600, day_time % 86400, now - stable_from)) * 1000
    local counts = units .. c.retention .. ' ' .. c.rolling .. ' ' .. c.decaying .. (c.journal and ' journal' or '')
    c.is_usual = c.layout and c.seen == hour .. ':' .. day and c.kept_counts == counts
  end
end
