-- count_action: counts the actions of an entry for its member on the board of a key, in tables. `worth` is what they added there.
-- false when the member is new and max_members are there, where that `is_bounded`: in the activity log.
local function count_action(c, entry, key, worth, decimal, is_bounded)
  local hash, member = hash_of(c, key .. ':actions'), c.batch.names[entry.member]
  local said = get_field(hash, member)
  if is_bounded and not said and hash_size(hash) >= most_members(c, 'd') then return false end
  hash.board_key = key
  put_field(hash, member, tally(said, entry.action, entry.undoes and -entry.times or entry.times, worth, decimal))
  return true
end
