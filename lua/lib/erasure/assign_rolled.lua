-- assign_rolled: gives the members c.members their scores on the boards of a rolling window from now on anew, by its base periods. While it
-- is repaired, the repair does so; where it is not whole, upkeep does.
local function assign_rolled(c, stage)
  local call, members, said = redis.call, c.members, c.clock.state['window:' .. stage.window]
  c.window, c.unit, c.length, c.current = stage.window, stage.unit, stage.length, stage.current
  if said == 'repair ' .. c.current then
    call('SADD', touched_key(c.board, c.window), unpack(members))
    return
  end
  c.key, c.next_key = window_key(c.board, c.window, c.current), window_key(c.board, c.window, c.current + 1)
  local marked = call('ZSCORE', c.key, whole_mark(c.clock.generation))
  if not is_whole(c.board, c.clock, c.window, c.unit, c.length, c.current, marked) then return end
  local first = c.current - c.length + 1
  local sequences = keeps_order(c, c.key) and last_sequences(c, members, first, c.current)
  assign_scores(c, c.key, members, sums_of(c, members, first, c.current), sequences)
  -- One that is not there yet is made with its indexes, when it is prepared.
  if call('EXISTS', c.next_key) == 0 then return end
  prepare_members(c, members, keeps_order(c, c.next_key))
  expire_filled(c, c.next_key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on))
end
