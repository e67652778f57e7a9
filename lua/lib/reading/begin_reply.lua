-- begin_reply: the beginning of a reply about a period that find_window found: the fields of lua/fields/period.lua, and then those
-- that are given.
local function begin_reply(found, ...)
  local reply = {
    'OK',
    found.clock.now_ms,
    found.period,
    found.named_at or '',
    found.starts_at or '',
    found.ends_at or '',
    found.complete and 1 or 0,
  }
  for i = 1, select('#', ...) do
    reply[#reply + 1] = select(i, ...)
  end
  return reply
end
