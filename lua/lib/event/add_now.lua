-- add_now: brings a rolling window up to date with an event of now, unread. Its plan, see plan_window, begins at `from`; answers where it ends.
--
-- A plan is made while the window's board is whole. Until it ends that changes only in the state, or when the key goes and its members
-- with it. Whose score stands on the board of the next period has all there that came since. Where a sum says that the member was
-- not there, or is no short number, it is taken back, and roll_now does it.
local function add_now(c, window, from, member, delta, text)
  local find, sub, keys, put = string.find, string.sub, c.text, c.put
  local key_to = find(keys, '\n', from, true)
  if key_to == from then return roll_now(c, window, from, member, delta) end
  local next_to, last, is_usual = find(keys, '\n', key_to + 1, true), #put, true
  local key, to = sub(keys, from, key_to - 1), sub(keys, key_to + 1, next_to - 1)
  while key do
    local sum = redis.call('ZINCRBY', key, text, member)
    local old = round_decimals(sum - delta)
    put[last + 1], put[last + 2], last = key, old ~= 0 and old, last + 2
    is_usual = is_usual and old ~= 0 and sum ~= '0' and #sum <= 14
    key, to = to, nil
  end
  if is_usual then return find(keys, '\n', next_to + 1, true) + 1 end
  put_back(put, member, last - 3)
  return roll_now(c, window, from, member, delta)
end
