-- drop_from_boards: removes c.members, or with c.pattern who matches it, from some more boards, while c.left lasts. Answers the place to
-- go on from, "stage number scan", see board_stages and drop_matching; nil when none is left.
local function drop_from_boards(c, place)
  local COST, stages = 10, board_stages(c)
  local at, number, scan = string.match(place, '^(%d+) ?(-?%d*) ?(.*)$')
  at, number = tonumber(at), tonumber(number)
  while stages[at] do
    local stage = stages[at]
    number = number or stage.first
    while number >= stage.last do
      if c.left <= 0 then return string.format('%d %d %s', at, number, scan) end
      if c.pattern then
        scan = drop_matching(c, stage.key_of(number), stage, scan)
      else
        stage.drop(c, stage.key_of(number), stage, number)
        c.left = c.left - COST
      end
      if scan == '' then number = number - 1 end
    end
    at, number = at + 1, nil
  end
  return nil
end
