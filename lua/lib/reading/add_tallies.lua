-- add_tallies: puts what each member of a page did, by action, into the last of the five fields of its entry. The first entry begins at
-- `first` of the reply. One command, if there is anybody.
local function add_tallies(found, reply, first)
  local members = {}
  for at = first, #reply, 5 do
    members[#members + 1] = reply[at]
  end
  if #members == 0 then return end
  local tallies = redis.call('HMGET', found.key .. ':actions', unpack(members))
  for i = 1, #members do
    reply[first + 5 * i - 1] = tallies[i] or ''
  end
end
