-- journal_place: where to begin to look through the journal for what happened since an instant (milliseconds); nil where it is empty. What
-- is written meanwhile lies behind its end.
local function journal_place(c, from_ms)
  local last = redis.call('XREVRANGE', journal_key(c.board), '+', '-', 'COUNT', 1)[1]
  return last and string.format('%.0f %s', math.max(0, from_ms), last[1])
end
