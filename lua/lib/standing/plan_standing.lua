-- plan_standing: counts a plain batch of values as plan_plain does, on which c.stands asks where the members stand; nil where the batch is not so.
-- Other batches are counted in tables, which takes no more commands.
local function plan_standing(c)
  if not c.indexes.policy or c.batch.has_tracked then return nil end
  find_stand(c)
  local commands = plan_plain(c)
  if commands then stand_before(c, c.batch.names) end
  if commands and commands[1] and c.new_listed then
    local state, last = commands[1], #commands[1]
    state[last + 1], state[last + 2] = 'listed', c.new_listed
  end
  return commands
end
