-- roll_now: brings a rolling window up to date with one event of now. `made` are the periods' boards that the event made: the base
-- board of now among them was there before if the window's state lists it, and so is gone.
local function roll_now(c, window, member, delta, made)
  local call, board, unit = redis.call, c.board, window.unit
  local current = period_number(unit, c.hour, c.day, c.week_starts_on)
  local is_lost = made and is_remade(window, current, made)
  if string.sub(window.said, 1, 6) ~= 'whole ' and not is_lost then return touch(c, window, current, { member }) end
  local key, next_key = window_key(board, window.name, current), window_key(board, window.name, current + 1)
  local scores = call('ZMSCORE', key, whole_mark(c.generation), member)
  local is_found, leaving, coming = scores[1] and not is_lost, 0, 0
  local leaving_number = current - window.length + 1
  if is_found and string.find(window.made, ' ' .. leaving_number .. ' ', 1, true) then
    local there = call('ZMSCORE', period_key(board, unit, leaving_number), '\0', member)
    is_found, leaving = there[1], tonumber(there[2] or 0)
  end
  if not is_found then
    window.said = 'broken'
    return break_window(board, c, window.name, current)
  end
  if string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then
    coming = tonumber(call('ZSCORE', period_key(board, unit, current + 1), member) or 0)
  end
  local old = tonumber(scores[2] or 0)
  local sum, rest = round_decimals(old + delta), coming - leaving
  put_now(c, key, member, old, sum)
  if put_now(c, next_key, member, round_decimals(old + rest), round_decimals(sum + rest)) then
    if not call('ZSCORE', next_key, '\0') then begin_window(c, window, current + 1) end
  end
end
