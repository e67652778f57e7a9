-- may_join: whether the sender of an event may put a new member on the board, and counts it in tables. One that the worker knows nothing of
-- may.
local function may_join(c, e)
  local counts = read_newcomers(c)
  local sender, was, more = counts.of[e], counts.was, counts.more
  if not sender then return true end
  local visitor, address = unpack(sender)
  local function is_within(name, most) return most == 0 or was[name] + (more[name] or 0) < most end
  if not (is_within(visitor, counts.visitor) and is_within(address, counts.address)) then return false end
  more[visitor], more[address] = (more[visitor] or 0) + 1, (more[address] or 0) + 1
  return true
end
