-- put_back: gives a member back what keys held of it, from a place in such a list on: keys, and a number, or false where the member was not
-- there.
local function put_back(put, member, from)
  for i = #put - 1, from, -2 do
    local key, old = put[i], put[i + 1]
    if old then
      redis.call('ZADD', key, string.format('%.17g', old), member)
    else
      redis.call('ZREM', key, member)
    end
    put[i], put[i + 1] = nil, nil
  end
end
