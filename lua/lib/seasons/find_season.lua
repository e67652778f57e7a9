-- find_season: completes what find_board found of a window of seasons: that of now is the last one that began; before all of them the first
-- one, of which nothing is there. Nobody asked for the season of now, so it is not refused, and is empty when it is kept no longer.
local function find_season(found)
  local asked, clock = found.asked, found.clock
  local current, has_begun = last_season(clock)
  found.period = tonumber(asked.number) or current
  local from, till, before = season_bounds(clock.zone, found.period)
  if not from then return nil, { 'AHEAD' } end
  found.named_at, found.starts_at, found.ends_at = from, from, till
  local refusal = refuse_period(found, has_begun and current or -math.huge)
  if refusal and (asked.number ~= '' or refusal[1] == 'SPAN') then return nil, refusal end
  found.key = period_key(found.board, 's', found.period)
  local is_kept = before and (asked.kept == 0 or from + asked.kept > clock.now)
  found.previous = is_kept and period_key(found.board, 's', before) or nil
  return found
end
