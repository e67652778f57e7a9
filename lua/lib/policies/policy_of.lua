-- policy_of: the function that tells whether a member of a board keeps a value instead of the one that it has.
local function policy_of(c)
  local policies = { greatest = keeps_greatest, least = keeps_least, latest = keeps_latest }
  return policies[c.indexes.policy]
end
