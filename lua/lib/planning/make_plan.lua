-- make_plan: what an event of now is counted on, for count_now, as find_plan answers it; nil where it is not counted so. c.text is what find_plan
-- reads, and c.new_plan the fields of the state that hold it and the arguments `about`.
--
-- After what it follows from come, in a line: from when and until when (seconds) it holds, and since when (milliseconds) events are of now;
-- the turns of the sets of ids of before and of now, empty where an id needs more than these; a half-life's name, landmark and life
-- (milliseconds), empty where nothing decays, and - where a decaying window needs more; how many units there are. Then come lines of keys:
-- the boards of the periods, the longest first; of each rolling window three, see plan_window; and the board of the half-life.
--
-- With indexes the lines are those of plan_indexed. Instead of a half-life stand the order of ties, - where there is none and nothing for the
-- activity log; the generation of indexes; and 1 where actions are counted.
local function make_plan(c, about)
  local keeps_none = not c.kept_indexes or string.sub(c.kept_indexes, -1) == ':'
  if c.changed ~= '' or c.is_between or not (c.is_usual and (keeps_none or c.options)) then return nil end
  local now, offset, from = c.now, c.stable_offset, math.floor(c.same_from / 1000)
  local hour_left, day_left = 3600 - (now + offset) % 3600, 86400 - (now + offset - c.day_starts_at) % 86400
  local grain_left = c.finest and c.finest - now % c.finest or math.huge
  local plan = {
    from,
    math.min(c.stable_until, now + hour_left, now + day_left, now + grain_left, c.season_until or math.huge),
    c.same_from,
    '',
    '',
    c.decaying == '' and '' or '-',
    '',
    '',
    #c.units,
  }
  if c.id_turn and not c.has_parts then
    plan[1], plan[2] = math.max(from, c.ids_turned_at), math.min(plan[2], c.ids_turned_at + c.replay_window)
    plan[4], plan[5] = c.id_turn - 1, c.id_turn
  end
  local lines = (c.options and plan_indexed or plan_boards)(c, plan)
  if not lines then return nil end
  local head = c.known .. table.concat(plan, ' ') .. '\n'
  c.text, plan[10] = head .. table.concat(lines, '\n') .. '\n', #head + 1
  c.new_plan = { 'plan:' .. c.sender, c.text, 'planned:' .. c.sender, about }
  return plan
end
