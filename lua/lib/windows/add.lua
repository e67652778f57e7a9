-- add: adds delta to a member of a sorted set; see check_sum for the rest and the answers.
local function add(key, member, delta, max_members, decimal)
  local sum = redis.call('ZINCRBY', key, string.format('%.17g', delta), member)
  return check_sum(key, member, delta, tonumber(sum), max_members, decimal)
end
