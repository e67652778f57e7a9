-- count_below: how many members of a sorted set are below a place, "score member", whether or not it is still there.
local function count_below(key, place)
  local score, member = string.match(place, '^(%S+) (.*)$')
  local is_there = redis.call('ZSCORE', key, member) == score
  return rank_after(key, score, member) - (is_there and 1 or 0)
end
