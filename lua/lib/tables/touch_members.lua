-- touch_members: notes for rolling windows which members of a period changed. Instants of one day may lie in several hours.
local function touch_members(period, has)
  if next(period.touched) == nil then
    period.touched = has
    return
  end
  local touched = {}
  for _, members in ipairs({ period.touched, has }) do
    for member in pairs(members) do
      touched[member] = true
    end
  end
  period.touched = touched
end
