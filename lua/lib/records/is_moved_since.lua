-- is_moved_since: whether the member of an entry was removed from the board after its tracked action was recorded: what that counted is
-- gone.
local function is_moved_since(c, entry, record)
  local moved_at = c.moved_at and c.moved_at[entry.member]
  return moved_at and tonumber(string.match(record, '^%a+,(%d+)')) <= moved_at
end
