-- want_values: lets load_hash read what a batch's members of a period have beside their values.
local function want_values(c, period, members)
  local names = c.batch.names
  for i = 1, #members do
    want_field(hash_of(c, metas_key(period.key)), names[members[i]])
    if c.indexes.policy == 'latest' then want_field(hash_of(c, instants_key(period.key)), names[members[i]]) end
  end
end
