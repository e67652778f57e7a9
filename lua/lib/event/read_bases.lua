-- read_bases: what the base boards of a rolling window that leave and come hold of a member, by their keys as plan_window lists them.
-- Answers whether the board that leaves has its mark, and by how much the score of the next period differs from that of now.
local function read_bases(keys, member)
  local leaving_key, coming_key = string.match(keys, '^(%S*) (%S*)$')
  local leaving = leaving_key ~= '' and redis.call('ZMSCORE', leaving_key, '\0', member) or { true }
  local coming = leaving[1] and coming_key ~= '' and redis.call('ZSCORE', coming_key, member)
  return leaving[1], tonumber(coming or 0) - tonumber(leaving[2] or 0)
end
