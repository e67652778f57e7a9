-- assign_touched: gives some of the members that were written during a repair their sums; answers whether nobody is left.
local function assign_touched(c, target, touched)
  local EACH = (c.length + 4) * (c.ties and 3 or 1)
  while c.left > 0 do
    local wanted = math.max(1, math.min(500, math.floor(c.left / EACH)))
    -- One more than wanted: the mark of the scan is among them.
    local members = redis.call('SRANDMEMBER', touched, wanted + 1)
    for i = #members, 1, -1 do
      if is_mark(members[i]) then table.remove(members, i) end
    end
    if #members == 0 then return true end
    local first = c.current - c.length + 1
    local sums = sums_of(c, members, first, c.current)
    assign_scores(c, target, members, sums, c.ties and last_sequences(c, members, first, c.current))
    redis.call('SREM', touched, unpack(members))
    c.left = c.left - #members * EACH - 5
  end
  return false
end
