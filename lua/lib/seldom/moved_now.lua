-- moved_now: the member that an event of now counts for: what its member became, where it became another one. Notes in c.said_now what is said of
-- it, see find_moved, and that it is done.
local function moved_now(c, member)
  local names = { member }
  c.said_now, c.is_followed = follow_moved(c, names, find_moved)[1], true
  return names[1]
end
