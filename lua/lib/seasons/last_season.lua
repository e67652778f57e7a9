-- last_season: the number of the last season that began until now; before all of them that of the first one. Answers also whether it
-- began. nil where there are none.
local function last_season(clock)
  local begun = season_numbers(clock.zone, clock.now)
  return begun[#begun] or season_numbers(clock.zone, math.huge)[1], begun[#begun] ~= nil
end
