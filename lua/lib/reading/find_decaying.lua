-- find_decaying: completes what find_board found of a window that fades: its board, and what to multiply the scores with now. Those of a
-- half-life stand still from one tick to the next, so that nobody need read them anew meanwhile.
local function find_decaying(found, week_starts_on)
  local asked, now = found.asked, found.clock.now_ms
  local life, span = life_and_span(asked.kind, asked.amount)
  if asked.kind == 'step' then
    now = period_number(asked.unit, found.clock, week_starts_on)
  else
    found.scored_at = now - now % asked.tick
  end
  -- The board is that of now, not of the tick: writers have left the one before.
  local landmark, shown_at = math.floor(now / span), found.scored_at or now
  found.key, found.scale = window_key(found.board, asked.window, landmark), 2 ^ ((landmark * span - shown_at) / life)
  found.shown_at = { shown_at, landmark }
  return found
end
