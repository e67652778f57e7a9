-- last_sequences: for each member its latest sequence number on the base boards from one period to another.
local function last_sequences(c, members, first, last)
  local latest = {}
  for i = 1, #members do
    latest[i] = 0
  end
  for number = first, last do
    local base = period_key(c.board, c.unit, number)
    local scores = redis.call('ZMSCORE', base, unpack(members))
    for i = 1, #members do
      scores[i] = scores[i] and tonumber(scores[i])
    end
    local sequences = sequences_on(c, base, members, scores)
    for i = 1, #members do
      latest[i] = math.max(latest[i], sequences[i])
    end
  end
  return latest
end
