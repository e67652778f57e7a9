-- put_tallies: adds what was restored of the counts by action of some members, as ZPOPMAX answered them, to what Redis has of these.
local function put_tallies(key, aside, popped)
  local call = redis.call
  if #popped == 0 or call('EXISTS', aside) == 0 then return end
  local come = { '\0', '1' }
  for i = 1, #popped, 2 do
    local id = popped[i]
    local more = call('HGET', aside, id)
    local said = more and add_tally(call('HGET', key, id), more)
    if said then
      come[#come + 1], come[#come + 2] = id, said
    elseif more then
      call('HDEL', key, id)
    end
  end
  call('HSET', key, unpack(come))
end
