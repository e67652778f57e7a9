-- read_stand: reads scores from the board that c.stands asks for as ZMSCORE does, and with the first ones those of who is curated there and of all
-- members of the batch. Notes all of them in c.stands: false for who is not there.
local function read_stand(c, names)
  local stands, wanted, is_wanted = c.stands, { unpack(names) }, {}
  local curated, scores = stands.curated, stands.scores
  for i = 1, #names do
    is_wanted[names[i]] = true
  end
  for _, list in ipairs(stands.is_read and {} or { curated.members, c.batch and c.batch.names or {} }) do
    for _, member in ipairs(list) do
      if not is_wanted[member] then
        is_wanted[member], wanted[#wanted + 1] = true, member
      end
    end
  end
  local found = redis.call('ZMSCORE', stands.key, unpack(wanted))
  for i = 1, #wanted do
    scores[wanted[i]] = tonumber(found[i] or nil) or false
  end
  for _, member in ipairs(curated.members) do
    curated.scores[member] = scores[member] or nil
  end
  stands.is_read = true
  return found
end
