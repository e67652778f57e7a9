-- read_state: checks the arguments of a call, and reads what the state of its target says. Answers the reply that refuses the call, if
-- any.
--
-- c then has, besides what ask_state finds:
-- - now (seconds), now_ms, now_us (microseconds)
-- - windows: the rolling windows, each { name, unit, length }
-- - second: that of the clock. finest: the seconds of the shortest grain that is counted, if any
-- - season, season_until: the season that is now and when it ends, where seasons are counted; is_between: there is none now
-- - hour, day: the local ones of the clock, where the zone's offset is stable. same_from: since when (milliseconds) they are, and the
--   shortest grain is
-- - resets, reset_at: what was reset, if anything, and when last (milliseconds), see read_resets
-- - is_usual: the state's layout is known, they are the latest ones that it saw, and it knows what is counted, see note_since
-- - index, said and made of each rolling window: that of its unit, how it is, and its base boards
-- - id_turn: the number of the set that ids go into, while that takes turns with the one before
local function read_state(c)
  local units, said, windows, now, us = c.units, c.said, {}, tonumber(c.time[1]), tonumber(c.time[2])
  c.now, c.now_ms, c.now_us, c.windows = now, now * 1000 + (us - us % 1000) / 1000, now * 1000000 + us, windows
  if said.err then return untouched(said) end
  -- Digits of a fixed number can be checked without being read.
  if #c.retention ~= 10 * #units or not string.find(c.retention, '^%d*$') then
    return redis.error_reply('UNTOUCHED ERR a retention is needed for each unit')
  end
  for unit in string.gmatch(units, '.') do
    if not unit_of(unit) then return redis.error_reply('UNTOUCHED ERR ' .. unit .. ' is no unit') end
  end
  if c.replay_window <= 0 then return redis.error_reply('UNTOUCHED ERR replay_window must be above 0') end
  if not string.find(c.max_members .. ' ', '^%d+ ') then return redis.error_reply('UNTOUCHED ERR max_members must begin with a number') end
  for name, unit, length in string.gmatch(c.rolling, '([^:%s]+):(%a):(%d+)') do
    local at, index = 12 + 2 * #windows, string.find(units, unit, 1, true)
    if not index then return redis.error_reply('UNTOUCHED ERR ' .. name .. ' is made of a unit that is not counted') end
    windows[#windows + 1] =
      { name = name, unit = unit, length = tonumber(length), index = index, said = said[at] or '', made = said[at + 1] or '' }
  end
  local layout, turned_at = said[1], tonumber(said[5] or nil)
  if layout and layout ~= '2' then return check_layout(layout) end
  c.layout, c.seen, c.kept_indexes, c.kept_counts, c.moved, c.resets = layout, said[2], said[7], said[8], said[9], said[10]
  c.begun = said[11]
  -- Also in the hours after the zone's clock changed, of which find_hour knows little.
  c.reset_at = c.resets and tonumber(string.match(c.resets, '^%d+'))
  -- See read_clock.
  c.generation = said[3] or layout and '0' or string.format('%d', c.now_ms)
  -- The turn in which the last part of a batch was remembered.
  c.ids_turn, c.ids_turned_at, c.parts_turn = tonumber(said[4] or 0), turned_at, tonumber(said[6] or nil)
  c.has_parts = c.parts_turn and c.parts_turn >= c.ids_turn - 1
  c.id_turn = turned_at and now >= turned_at and now < turned_at + c.replay_window and c.ids_turn
  return find_hour(c)
end
