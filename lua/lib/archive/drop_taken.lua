-- drop_taken: forgets those whom the archive of a period was behind with, and has now. The archive is behind with members that changed since, from then on.
local function drop_taken(board, key, unit, number)
  local call, behind = redis.call, behind_key(key)
  local at = call('HGET', behind .. ':taken', '\0')
  call('UNLINK', behind .. ':taken')
  if call('EXISTS', behind) == 0 then
    forget_behind(board, key, unit, number)
  elseif at then
    local notes, name = archive_key(board), string.format('behind:%s:%d', unit_of(unit), number)
    local why = string.match(call('HGET', notes, name) or '', '^%d+ (%a+)')
    call('HSET', notes, name, string.format('%d %s', math.floor(at / 1000), why or 'counted'))
  end
end
