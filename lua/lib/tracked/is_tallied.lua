-- is_tallied: whether an entry changes the counts by action beside a board. An undo does where its action did; before records told that, where
-- the configuration keeps them.
local function is_tallied(c, entry, key)
  local keeps, tracked = c.indexes.actions, entry.tracked
  if not entry.undoes then return keeps end
  local sign = string.sub(tracked.windows, 1, 1)
  if sign == '-' or not keeps and sign ~= '+' then return false end
  return keeps or get_field(hash_of(c, key .. ':actions'), c.batch.names[entry.member])
end
