-- look_ahead: finds how many of the base boards after the one that is to be scanned have hardly a member that it lacks. Their scores
-- are then added together with its own, and they are not scanned. The few that it lacks are noted in `touched`; without that
-- there must be none. Answers whether it is found: large boards take more than one chunk.
--
-- A member that is not written stays on its boards, so what was true of it when they were compared remains so.
local function look_ahead(c, scan, last, touched)
  -- Boards to add at once, and entries that one command may compare: about a millisecond.
  local MAX, MAX_SIZE = 32, 10000
  local call, base = redis.call, period_key(c.board, c.unit, scan.stage)
  local size = call('ZCOUNT', base, '(-inf', '+inf')
  while scan.ahead < math.min(last, scan.stage + MAX - 1) do
    local other = period_key(c.board, c.unit, scan.ahead + 1)
    local other_size = call('ZCOUNT', other, '(-inf', '+inf')
    if other_size > MAX_SIZE or size > MAX_SIZE or other_size < size / 2 then return true end
    if c.left <= 0 then return false end
    c.left = c.left - other_size / 8 - 5
    local few = touched and 2 * other_size / c.length or 0
    -- The marks of both are alike, but for what others left there.
    local alone = call('ZCARD', other) - call('ZINTERCARD', 2, other, base)
    if alone > few + 1 then return true end
    local lacking = alone > 0 and call('ZDIFF', 2, other, base) or {}
    for i = #lacking, 1, -1 do
      if is_mark(lacking[i]) then table.remove(lacking, i) end
    end
    if #lacking > few then return true end
    if #lacking > 0 then call('SADD', touched, unpack(lacking)) end
    scan.ahead = scan.ahead + 1
  end
  return true
end
