-- read_missing: reads the scores of members that a call counted elsewhere than on the window that c.stands asks for.
local function read_missing(stands, moves)
  local names = {}
  for i = 1, #moves do
    names[i] = moves[i].name
  end
  local scores = names[1] and redis.call('ZMSCORE', stands.key, unpack(names)) or {}
  for i = 1, #moves do
    local score = tonumber(scores[i] or 0)
    moves[i].scores = { score, score }
  end
end
