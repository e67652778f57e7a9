-- join_members: lets the events of members of one name be of the first of them.
local function join_members(batch)
  local first, joined = {}, {}
  for i, name in ipairs(batch.names) do
    first[name] = first[name] or i
    joined[i] = first[name]
  end
  for e = 1, batch.count do
    batch.members[e] = joined[batch.members[e]]
  end
end
