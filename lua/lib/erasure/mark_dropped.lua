-- mark_dropped: notes that members left a board, where that is one of a period whose totals are handed on.
local function mark_dropped(c, key, names)
  for unit in string.gmatch(c.changed, '.') do
    local number = string.match(key, ':' .. unit_of(unit) .. ':(%-?%d+)$')
    if number and key == period_key(c.board, unit, number) then redis.call(unpack(mark_changed(c.board, unit, number, names))) end
  end
end
