-- refuse_period: the reply that refuses the period that find_window found: the zone must be known around it, it must have begun,
-- and it must be kept. nil when it is a good one. `current` is the current period; false where the zone is not known around now.
local function refuse_period(found, current)
  local clock, starts_at, ends_at = found.clock, found.starts_at, found.ends_at
  if starts_at and (starts_at <= clock.rows[1].from or ends_at >= clock.span_until) then
    local REACH = 397 * 86400 -- see read_clock
    return { 'SPAN', clock.now_ms, math.min(starts_at, ends_at) - REACH, ends_at + REACH }
  end
  local is_ahead
  if current then
    is_ahead = found.period > current
  else
    -- All time has no beginning.
    is_ahead = found.named_at and found.named_at > clock.now
  end
  if is_ahead then return { 'AHEAD' } end
  -- A rolling window needs its first base period, which ends after the window's start.
  local needed_until = found.asked.length > 1 and starts_at or ends_at
  local is_gone = needed_until and found.asked.kept > 0 and needed_until + found.asked.kept <= clock.now
  return is_gone and { 'GONE' } or nil
end
