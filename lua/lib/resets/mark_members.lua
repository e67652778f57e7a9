-- mark_members: notes that all members of a period change, for who hands totals on.
local function mark_members(c, unit, number)
  local EACH, key, from = 1000, period_key(c.board, unit, number), 0
  repeat
    local members, names = redis.call('ZRANGE', key, from, from + EACH - 1), {}
    for _, member in ipairs(members) do
      if not is_mark(member) then names[#names + 1] = member end
    end
    if #names > 0 then redis.call(unpack(mark_changed(c.board, unit, number, names))) end
    from = from + EACH
  until #members < EACH
end
