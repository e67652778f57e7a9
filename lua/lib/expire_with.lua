-- expire_with: gives a board, and what is kept beside it, an expiry (seconds).
local function expire_with(options, key, at)
  redis.call('EXPIREAT', key, at)
  if options then
    if options.ties then redis.call('EXPIREAT', key .. ':' .. options.ties, at) end
    if options.dense then redis.call('EXPIREAT', key .. ':scores', at) end
    if options.actions then redis.call('EXPIREAT', key .. ':actions', at) end
  end
end
