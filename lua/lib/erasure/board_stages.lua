-- board_stages: every board that a target may have, in the order in which members are removed from them: what this configuration counts, and
-- then what others do, see add_stages.
local function board_stages(c)
  local stages = {}
  add_stages(c, stages, c.units, c.retention, c.rolling, c.decaying)
  local units, retention, decaying = other_counted(c)
  add_stages(c, stages, units, retention, '', decaying)
  return stages
end
