-- find_decaying: completes what find_window found of a window that fades: its board, and what to multiply the scores with now.
local function find_decaying(found, week_starts_on)
  local asked, clock = found.asked, found.clock
  local life, span = life_and_span(asked.kind, asked.amount)
  local position = clock.now_ms
  if asked.kind == 'step' then position = period_number(asked.unit, clock.hour, clock.day, week_starts_on) end
  local _, landmark, factor = decay(position, position, life, span)
  found.key, found.scale = window_key(found.board, asked.window, landmark), factor
  return found
end
