-- find_season: completes what find_board found of a window of seasons: that of now is the last one that began.
local function find_season(found)
  local asked, clock = found.asked, found.clock
  local begun = season_numbers(clock.zone, clock.now)
  local current = begun[#begun]
  found.period = tonumber(asked.number) or current
  if not current or found.period > current then return nil, { 'AHEAD' } end
  local from, till, before = season_bounds(clock.zone, found.period)
  if not from then return nil, { 'GONE' } end
  found.named_at, found.starts_at, found.ends_at = from, from, till
  local refusal = refuse_period(found, current)
  if refusal then return nil, refusal end
  found.key = period_key(found.board, 's', found.period)
  local is_kept = before and (asked.kept == 0 or from + asked.kept > clock.now)
  found.previous = is_kept and period_key(found.board, 's', before) or nil
  return found
end
