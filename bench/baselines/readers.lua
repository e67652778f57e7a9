#!lua name=readers
-- readers: the least that answering reads costs Redis. Keys are given. Nobody is hidden, pinned or missing, and nothing says what stays the same.
local call

-- begin: the instant, when something changed last, and how many members there are.
local function begin(state, board)
  call = redis.call
  local time, fields = call('TIME'), call('HMGET', state, 'changed', 'curated', 'indexes', 'seen')
  return { 'OK', time[1] * 1000 + math.floor(time[2] / 1000), fields[1] or '', call('ZCARD', board) }
end

-- places: the ranks of a competition by place, of members listed with their scores.
local function places(scored)
  local ranks = {}
  for place = 1, #scored / 2 do
    ranks[place] = place > 1 and scored[2 * place] == scored[2 * place - 2] and ranks[place - 1] or place
  end
  return ranks
end

-- top: the best members, each with score, rank, and rank in the period before. With orders of ties, two more keys, places have the scores of the board's.
local function top(keys, args)
  local reply, has_ties, ranked = begin(keys[1], keys[2]), #keys > 3, {}
  local scored = call('ZREVRANGE', keys[2], 0, args[1] - 1, 'WITHSCORES')
  local members = has_ties and call('ZREVRANGE', keys[4], 0, args[1] - 1)
  local before = call('ZREVRANGE', has_ties and keys[5] or keys[3], 0, args[2] - 1)
  local ranks, earlier = has_ties and places(scored), has_ties and places(call('ZREVRANGE', keys[3], 0, args[2] - 1, 'WITHSCORES'))
  for place = 1, #before do
    ranked[before[place]] = earlier and earlier[place] or place
  end
  for place = 1, #scored / 2 do
    local member, at = members and members[place] or scored[2 * place - 1], 4 * place
    reply[at + 1], reply[at + 2], reply[at + 3] = member, scored[2 * place], ranks and ranks[place] or place
    reply[at + 4] = ranked[member] or 0
  end
  return reply
end

-- ranks: the rank and score of members, and how many have more; of a single one also the next higher score, and who stands around it.
local function ranks(keys, args)
  local reply, board, around, above = begin(keys[1], keys[2]), keys[2], tonumber(args[1]), {}
  local scores = call('ZMSCORE', board, unpack(args, 2))
  for i = 1, #scores do
    local score, place = scores[i], call('ZREVRANK', board, args[i + 1])
    above[score] = above[score] or call('ZCOUNT', board, '(' .. score, '+inf')
    reply[3 * i + 2], reply[3 * i + 3], reply[3 * i + 4] = place + 1, score, above[score]
  end
  local first = math.max(reply[5] - 1 - around, 0)
  if around == 0 then return reply end
  reply[8] = call('ZRANGEBYSCORE', board, '(' .. scores[1], '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2] or ''
  local scored = call('ZREVRANGE', board, first, reply[5] - 1 + around, 'WITHSCORES')
  for place = 1, #scored / 2 do
    local at = 3 * place + 5
    reply[at + 1], reply[at + 2], reply[at + 3] = scored[2 * place - 1], scored[2 * place], first + place
  end
  return reply
end

redis.register_function({ function_name = 'readers_top', callback = top, flags = { 'no-writes' } })
redis.register_function({ function_name = 'readers_ranks', callback = ranks, flags = { 'no-writes' } })
