-- may_join: whether the sender of an event may put a new member on the board, and counts it in tables. One that the worker knows nothing of
-- may.
local function may_join(c, e)
  local counts = read_newcomers(c)
  local sender, was, more = counts.of[e], counts.was, counts.more
  if not sender then return true end
  for i, name in ipairs(sender) do
    local most = i == 1 and counts.visitor or most_of_network(counts.address, i - 1)
    if most > 0 and was[name] + (more[name] or 0) >= most then return false end
  end
  for _, name in ipairs(sender) do
    more[name] = (more[name] or 0) + 1
  end
  return true
end
