-- forget_behind: forgets whom the archive of a period is behind with.
local function forget_behind(board, key, unit, number)
  redis.call('UNLINK', behind_key(key), behind_key(key) .. ':taken')
  redis.call('HDEL', archive_key(board), string.format('behind:%s:%d', unit_of(unit), number))
end
