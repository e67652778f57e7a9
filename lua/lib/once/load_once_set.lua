-- load_once_set: reads the marks that are asked for. The set of what counts once for ever has no expiry, and so no more marks than a
-- period has members.
local function load_once_set(c, set)
  local asked = set.asked
  if #asked == 0 then return end
  local found = redis.call('SMISMEMBER', set.key, '\0', unpack(asked))
  set.is_there, set.asked = found[1] == 1, {}
  for i = 1, #asked do
    set.has[asked[i]], set.was[asked[i]] = found[i + 1] == 1, found[i + 1] == 1
  end
  local is_for_ever = (set.unit == 'a' or c.once_kept == 0) and not set.of_day
  if is_for_ever and set.is_full == nil then set.is_full = redis.call('SCARD', set.key) > most_members(c, 'once') end
end
