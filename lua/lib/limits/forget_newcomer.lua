-- forget_newcomer: takes back that the sender of an event put a new member on the board, see may_join: it was refused all the same.
local function forget_newcomer(c, e)
  local counts = c.newcomer_counts
  for _, name in ipairs(counts.of[e] or {}) do
    counts.more[name] = counts.more[name] - 1
  end
end
