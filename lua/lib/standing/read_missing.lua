-- read_missing: reads the scores of members that a call counted elsewhere than on the window that c.stands asks for, unless it did before.
local function read_missing(stands, moves)
  local names, scores = {}, stands.scores
  for i = 1, #moves do
    if scores[moves[i].name] == nil then names[#names + 1] = moves[i].name end
  end
  local found = names[1] and redis.call('ZMSCORE', stands.key, unpack(names)) or {}
  for i = 1, #names do
    scores[names[i]] = tonumber(found[i] or nil) or false
  end
  for i = 1, #moves do
    local score = scores[moves[i].name] or 0
    moves[i].scores = { score, score }
  end
end
