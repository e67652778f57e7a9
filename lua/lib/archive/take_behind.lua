-- take_behind: moves aside whom the archive of a period is behind with, unless some are aside. Answers when they were (microseconds); 0 where nobody is.
local function take_behind(board, key, unit, number, now_us)
  local call, behind = redis.call, behind_key(key)
  local taken = behind .. ':taken'
  local at = call('HGET', taken, '\0')
  if at then return tonumber(at) end
  if call('EXISTS', behind) == 0 then
    forget_behind(board, key, unit, number)
    return 0
  end
  call('RENAME', behind, taken)
  call('HSET', taken, '\0', string.format('%.0f', now_us))
  return now_us
end
