-- archived_of: the period of a board's key, where it is archived, see is_archived; else nil.
local function archived_of(c, key)
  local begun = c.clock.state.archived
  for unit in string.gmatch(c.units, '.') do
    local number = tonumber(string.match(key, ':' .. unit_of(unit) .. ':(%-?%d+)$') or nil)
    if number and key == period_key(c.board, unit, number) then
      local current = period_number(unit, c.clock, c.week_starts_on)
      return is_archived(c.archived, begun, unit, number, current) and { unit = unit, number = number } or nil
    end
  end
  return nil
end
