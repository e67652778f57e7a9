-- moved_until: the instant (milliseconds) until which what was recorded of a member goes with a removal of now: as far ahead as the clock can have been
-- that went back a little since, and behind what was recorded after earlier removals on the board, see recorded_at. That is so many at most of an
-- action of an actor until the clock is there.
local function moved_until(clock)
  local RECORDED, latest = 1000, tonumber(clock.state.moved_at or 0)
  return math.max(clock.now_ms + STEP_BACK_MS, latest + RECORDED)
end
