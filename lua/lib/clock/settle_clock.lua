-- settle_clock: the hour and day that a call counts in, for every event of its batch. Answers the reply that asks for more of the zone,
-- if the zone does not reach.
local function settle_clock(c)
  -- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
  local REACH = 397 * 86400
  local batch, oldest = c.batch, c.now_ms
  for e = 1, batch.count + (batch.brought or 0) do
    local tracked = batch.tracked[e]
    local at = tracked and tracked.done_at or batch.instants[e]
    if at >= 0 and at < oldest then oldest = at end
  end
  if oldest >= c.same_from and c.is_usual then return nil end
  local rows = rows_of(c)
  local from, till = math.floor(oldest / 1000) - REACH, c.now + REACH
  if from < rows[1].from or till > c.span_until then return { 'SPAN', c.now_ms, from, till } end
  c.hour, c.day = local_count(rows, 'hour', 3600, c.now), local_count(rows, 'day', 86400, c.now)
  c.own = { hour = c.hour, day = c.day, second = c.now, zone = c.zone }
  hold_to_latest(c, c.seen)
  for _, window in ipairs(c.is_behind and c.windows or {}) do
    window.said = 'broken'
  end
end
