-- put_now: gives a member of a rolling board its score; `old` is the text of the one that it has, for take_back.
local function put_now(c, key, member, old, score)
  if score ~= 0 then
    redis.call('ZADD', key, string.format(score % 1 == 0 and '%.0f' or '%.17g', score), member)
  elseif old then
    redis.call('ZREM', key, member)
  end
  c.put[#c.put + 1] = { key, old }
end
