-- begin_reply: the beginning of a reply about a period that find_window found: its status, the fields of lua/fields/period.lua, and then
-- those that are given.
local function begin_reply(found, status, ...)
  local state, unit = found.clock.state, found.asked.unit
  local since = tonumber(state.counted_since or 0)
  local is_doubtful = state['lost:' .. unit] or found.is_empty and state['made:' .. unit]
  local reply = {
    status,
    found.clock.now_ms,
    found.period,
    found.named_at or '',
    found.starts_at or '',
    found.ends_at or '',
    found.complete and 1 or 0,
    found.scored_at or '',
    since > (found.starts_at or 0) and since or '',
    is_doubtful and status == 'OK' and find_lost(found) or '',
    found.complete and found.version or '',
    found.curated,
  }
  for i = 1, select('#', ...) do
    reply[#reply + 1] = select(i, ...)
  end
  return reply
end
