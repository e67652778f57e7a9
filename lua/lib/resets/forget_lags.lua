-- forget_lags: forgets which periods' archives are behind, of those that were reset: what they held was archived before, or is aside.
local function forget_lags(c, archived)
  for unit in string.gmatch(archived, '%a') do
    local own = c.reset_periods[unit] or { first = 1, last = 0 }
    for number = own.first, own.last do
      redis.call('HDEL', archive_key(c.board), string.format('behind:%s:%d', unit_of(unit), number))
    end
  end
end
