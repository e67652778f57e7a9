-- want_touched: lets the store phase note the members that a batch wrote while a rolling window is being repaired; the repair does
-- not end before it has looked at them again. Where a base board is gone, the repair may have added what it held, and begins anew.
local function want_touched(c, window, current, members)
  if remakes_base(c, window) then
    c.broken[#c.broken + 1] = { window, current }
    return
  end
  local key, names = touched_key(c.board, window.name), {}
  for i = 1, #members do
    names[i] = c.batch.names[members[i]]
  end
  redis.call('SISMEMBER', key, '\0')
  c.touched[#c.touched + 1] = { key, names }
end
