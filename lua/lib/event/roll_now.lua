-- roll_now: brings a rolling window up to date with one event of now. Its plan, see plan_window, begins at `from`; answers where it ends.
-- c.lost lists the windows that are not as they should be, and those whose next board was made, with its key.
local function roll_now(c, window, from, member, delta)
  local call, find, keys = redis.call, string.find, c.text
  local key_to = find(keys, '\n', from, true)
  local next_to = find(keys, '\n', key_to + 1, true)
  local to = find(keys, '\n', next_to + 1, true)
  local key, next_key = string.sub(keys, from, key_to - 1), string.sub(keys, key_to + 1, next_to - 1)
  if key == '' then
    if next_key ~= '' then call('SADD', next_key, member) end
    return to + 1
  end
  local scores, is_right, rest = call('ZMSCORE', key, '\0' .. (c.said[4] or '0'), member), true, 0
  if to > next_to + 1 then
    is_right, rest = read_bases(string.sub(keys, next_to + 1, to - 1), member)
  end
  if not (scores[1] and is_right) then
    c.lost[#c.lost + 1] = { window }
    return to + 1
  end
  local old = tonumber(scores[2] or 0)
  local sum = round_decimals(old + delta)
  put_now(c, key, member, old, sum)
  if put_now(c, next_key, member, round_decimals(old + rest), round_decimals(sum + rest)) and not call('ZSCORE', next_key, '\0') then
    c.lost[#c.lost + 1] = { window, next_key }
  end
  return to + 1
end
