-- roll_now: brings a rolling window up to date with one event of now. c.lost lists the windows that are not as they should be, and those whose
-- next board was made, with its number.
local function roll_now(c, window, member, delta)
  local call, current = redis.call, period_number(window.unit, c, c.week_starts_on)
  if window.said == 'repair ' .. current then call('SADD', touched_key(c.board, window.name), member) end
  if string.sub(window.said, 1, 6) ~= 'whole ' then return end
  local key, next_key = window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1)
  local scores = call('ZMSCORE', key, whole_mark(c.generation), member)
  local is_right, rest = read_bases(c, window, current, member)
  if not (scores[1] and is_right) then
    c.lost[#c.lost + 1] = { window }
    return
  end
  local old = tonumber(scores[2] or 0)
  local sum = round_decimals(old + delta)
  put_now(c, key, member, old, sum)
  if put_now(c, next_key, member, round_decimals(old + rest), round_decimals(sum + rest)) and not call('ZSCORE', next_key, '\0') then
    c.lost[#c.lost + 1] = { window, current + 1 }
  end
end
