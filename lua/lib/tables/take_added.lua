-- take_added: takes back, exactly, what an event of now added unread, from the last board of its plan down to one, see make_plan. What check_sum
-- took back already is left.
local function take_added(c, member, delta, first)
  local call, keys = redis.call, c.plan.keys
  for i = c.added, first, -1 do
    if not (c.refused and c.refused[#c.units + 1 - i]) then
      local old = round_decimals(tonumber(call('ZSCORE', keys[i], member) or 0) - delta)
      if old == 0 then
        call('ZREM', keys[i], member)
      else
        call('ZADD', keys[i], string.format('%.17g', old), member)
      end
    end
  end
  c.added = first - 1
end
