-- network_names: what the networks of an address are called, see visitor_name, as a list, the smallest first. `digests` are theirs, each behind
-- a dot. The digests of networks of other sizes are others, so one mark is enough.
local function network_names(salt, digests)
  local names = {}
  for digest in string.gmatch(digests, '%.([^.]+)') do
    names[#names + 1] = '@' .. visitor_name(salt, digest)
  end
  return names
end
