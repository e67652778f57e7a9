-- read_scores: reads from the board that find_window found, in one command, the mark of a rolling window, the scores of curated
-- members and those of `others`. Says in `found.complete` what the mark tells. Answers the others' scores, numbers or false;
-- `curated.scores` are theirs, by member.
local function read_scores(found, curated, others)
  local names = { found.mark }
  local before = #names + #curated.members
  for i = 1, #curated.members do
    names[#names + 1] = curated.members[i]
  end
  for i = 1, #others do
    names[#names + 1] = others[i]
  end
  local scores = found.key and #names > 0 and redis.call('ZMSCORE', found.key, unpack(names)) or {}
  if found.is_current then
    local asked = found.asked
    found.complete = is_whole(found.board, found.clock, asked.window, asked.unit, asked.length, found.period, scores[1])
  elseif found.mark then
    found.complete = scores[1] and true or false
    if not found.complete then
      found.key, scores = nil, {}
    end
  end
  curated.scores = {}
  for i = 1, #curated.members do
    curated.scores[curated.members[i]] = tonumber(scores[before - #curated.members + i] or nil)
  end
  local theirs = {}
  for i = 1, #others do
    theirs[i] = tonumber(scores[before + i] or nil) or false
  end
  return theirs
end
