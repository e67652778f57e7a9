-- go_on: does some more of what is left to make an item another one, and notes how far that is. Answers what is next; empty when nothing is
-- left. `actions` is the work of another script, see alias_actions.
local function go_on(c, old, new, actions)
  local call, key, field = redis.call, moved_key(c.board), progress_field(old)
  local phase, place = string.match(call('HGET', key, field) or '', '^(%a+) (.*)$')
  if not phase or phase == 'actions' then return phase or '' end
  c.whats = {}
  for _, action in ipairs(actions) do
    c.whats[what_of(action, old)] = what_of(action, new)
  end
  if phase == 'boards' then
    c.merged = {}
    place = drop_from_boards(c, place)
    roll_merged(c)
    if not place then
      phase, place = 'actions', '0'
    end
  elseif phase == 'marks' then
    place = bring_marks(c, place)
    if not place then
      phase, place = 'journal', journal_place(c, 0)
    end
  else
    place = bring_journal(c, place, old, new)
  end
  if place then
    call('HSET', key, field, phase .. ' ' .. place)
    return phase
  end
  end_alias(c, old, new)
  return ''
end
