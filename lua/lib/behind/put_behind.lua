-- put_behind: notes members that changed in an archived period, each a field and what add_change makes of it, and why: counted, revoked or erased.
-- `is_new` says that nobody was noted there, and `is_anew` that Redis had nothing of the period until then, so that all that it has came since.
-- The notes of who archives then get the period, with since when (milliseconds) its archive is behind, and the most urgent reason.
-- What is noted is kept for as long as the period is.
local function put_behind(board, period, changes, is_new, now_us, why, is_anew)
  local KEPT_S, RANKS, call = 30 * 86400, { counted = 0, revoked = 1, erased = 2 }, redis.call
  local key = period_key(board, period.unit, period.number)
  local behind = behind_key(key)
  if is_new then
    changes[#changes + 1], changes[#changes + 2] = '\0', '1'
  end
  call('HSET', behind, unpack(changes))
  if is_new then
    local left = call('TTL', key)
    if left ~= -1 then call('EXPIRE', behind, left > 0 and left or KEPT_S) end
  elseif why == 'counted' then
    return
  end
  local notes, name = archive_key(board), string.format('behind:%s:%d', unit_of(period.unit), period.number)
  local since, because, anew = string.match(call('HGET', notes, name) or '', '^(%d+) (%a+)(.*)$')
  if because and RANKS[because] > RANKS[why] then why = because end
  anew = since and anew or is_anew and ' anew' or ''
  call('HSET', notes, name, (since or string.format('%d', math.floor(now_us / 1000))) .. ' ' .. why .. anew)
end
