-- add_many: adds deltas[member] to each of a list of members of a period, in a number of commands that does not grow
-- with the list. Answers whether that made the key, and the set of the members refused because they are new and the
-- period already holds max_members.
-- decimal tells that the deltas are decimals, see round_decimals.
-- @include round_decimals
local function add_many(key, members, deltas, max_members, decimal)
  local scores = redis.call('ZMSCORE', key, unpack(members))
  local changed, zeros, refused, room = {}, {}, {}, nil
  local made = false
  for i = 1, #members do
    local member, score = members[i], scores[i]
    local sum = (score or 0) + deltas[member]
    if decimal then sum = round_decimals(sum) end
    if not score and sum ~= 0 then
      if not room then
        local held = redis.call('ZCARD', key)
        made, room = held == 0, max_members - held
      end
      room = room - 1
    end
    if sum == 0 then
      if score then zeros[#zeros + 1] = member end
    elseif score or room >= 0 then
      changed[#changed + 1] = string.format('%.17g', sum)
      changed[#changed + 1] = member
    else
      refused[member] = true
    end
  end
  if #changed > 0 then redis.call('ZADD', key, unpack(changed)) end
  if #zeros > 0 then redis.call('ZREM', key, unpack(zeros)) end
  return made, refused
end
