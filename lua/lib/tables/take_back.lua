-- take_back: undoes what a call wrote before it failed, exactly: whole numbers, members that were not there, and scores that it had read.
-- `delta` is what an event of now is worth, see count_now.
local function take_back(c, member, delta, id)
  local call = redis.call
  put_back(c.put or {}, member, 1)
  for i = #c.units, c.counted or math.huge, -1 do
    local unit = string.sub(c.units, i, i)
    local key = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
    local is_refused = c.refused and c.refused[i]
    if not is_refused and call('ZINCRBY', key, string.format('%.0f', -delta), member) == '0' then call('ZREM', key, member) end
  end
  for _, key in ipairs(c.refusals or {}) do
    call('DECRBY', key, 1)
  end
  if c.id_key then call('SREM', c.id_key, id) end
end
