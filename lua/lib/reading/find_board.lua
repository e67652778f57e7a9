-- find_board: finds the sorted set that holds a window of a board, in the current period or in the one that is asked for. `asked`
-- and `calendar` are tables of arguments by their names. Answers a table:
-- - key: the sorted set; nil for a past rolling window that is not built: it is incomplete, and has nobody
-- - mark: of a rolling window, the member that tells that every score is right, see read_scores
-- - scale: what to multiply its scores with
-- - period: its period's number
-- - named_at: when that period starts (seconds; nil where there is none)
-- - starts_at, ends_at: when the window starts and ends (likewise)
-- - complete: whether every member's score is right
-- - previous: the key of the period before; nil when none can be compared
-- - scored_at: of a half-life, the instant (milliseconds) whose scores are shown
-- - shown_at: two numbers that change when a window that fades shows other scores; of others its period does
-- - clock, asked, board, week_starts_on
-- Or answers nil, and the reply to give instead. A period that is not kept is refused before its board is looked at.
local function find_board(board, asked, calendar)
  local kind, unit, week_starts_on = asked.kind, asked.unit, calendar.week_starts_on
  local fields = { 'changed', 'curated', 'indexes', 'counted_since', 'made:' .. unit, 'lost:' .. unit }
  if kind == 'rolling' then
    fields[7], fields[8] = 'window:' .. asked.window, 'past'
  end
  fields[#fields + 1] = asked.also
  local clock, refusal = read_clock(board, calendar.zone, calendar.day_starts_at, fields, calendar.time)
  -- A calendar period that is asked for may lie where the zone is known, and now where it is not.
  if refusal and (refusal.err or kind ~= 'calendar' or asked.number == '') then return nil, refusal end
  local found = { board = board, asked = asked, clock = clock, scale = 1, complete = true, period = 0 }
  found.week_starts_on = week_starts_on
  if kind == 'half-life' or kind == 'step' then return find_decaying(found, week_starts_on) end
  if kind == 'linear' then
    local rows = zone_rows(calendar.zone, asked.at)
    found.period, found.starts_at, found.ends_at = linear_period(rows, unit, week_starts_on, clock.now)
    if asked.number ~= '' then
      found.period = tonumber(asked.number)
      found.starts_at, found.ends_at = period_bounds(rows, unit, found.period, week_starts_on)
    end
    found.key, found.named_at = window_key(board, asked.window, found.period), found.starts_at
    return found
  end

  if unit == 's' then return find_season(found) end
  local current = not refusal and period_number(unit, clock, week_starts_on)
  found.period = tonumber(asked.number) or current
  found.named_at, found.ends_at = period_bounds(clock.rows, unit, found.period, week_starts_on)
  found.starts_at = found.named_at
  if asked.length > 1 then found.starts_at = period_bounds(clock.rows, unit, found.period - asked.length + 1, week_starts_on) end
  refusal = refuse_period(found, current)
  if refusal then return nil, refusal end
  if kind == 'rolling' then return find_rolling(found, current) end
  if kind == 'united' then return find_united(found) end
  found.key = period_key(board, unit, found.period)
  local is_kept = found.named_at and (asked.kept == 0 or found.named_at + asked.kept > clock.now)
  found.previous = is_kept and period_key(board, unit, found.period - 1) or nil
  return found
end
