-- move_aside: moves the boards of the periods that are reset aside, with their orders of ties and counts by action, where their units are archived, and
-- notes for who archives when each begins and ends (seconds; 0 for all time). What is aside stays for 30 days. What archives are behind with was archived
-- before, or is aside: that is forgotten.
local function move_aside(c, archived)
  local KEPT_S = 30 * 86400
  local call, name = redis.call, string.format('reset:%d', c.clock.now_ms)
  local function move(key, aside)
    if call('EXISTS', key) == 0 then return false end
    call('RENAME', key, aside)
    call('EXPIRE', aside, KEPT_S)
    return true
  end
  for unit in string.gmatch(archived, '%a') do
    local own = c.reset_periods[unit] or { first = 1, last = 0 }
    for number = own.first, own.last do
      local key = period_key(c.board, unit, number)
      call('HDEL', archive_key(c.board), string.format('behind:%s:%d', unit_of(unit), number))
      local aside = aside_key(key, name)
      if move(key, aside) then
        move(key .. ':actions', aside .. ':actions')
        if c.ties then move(index_key(key, c.ties, c.index_generation), aside .. ':' .. c.ties) end
        local from, till = reset_bounds(c, unit, number)
        local note = string.format('reset:%s:%d:%d', unit, number, c.clock.now_ms)
        call('HSET', archive_key(c.board), note, string.format('%d %d', from or 0, till or 0))
      end
    end
  end
end
