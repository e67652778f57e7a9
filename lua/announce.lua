-- announce: notes items that the site's own server named, so that events of browsers count for them on a board that counts known items only.
--
-- 1. Read TIME, and when the items were announced last.
-- 2. Note those again of which that is a while ago: so most calls write nothing.
-- 3. Forget what is known no longer, and where there are too many, those that were announced first.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg known_for         int     seconds for which an item is known
-- @arg most              int     items that are known at most
-- @each item                     one that was announced
-- @field id              text    its id, each once
-- @returns OK                    it is done

local key, now, ids, stale = known_key(board), tonumber(redis.call('TIME')[1]), {}, {}
for i = items, #ARGV do
  ids[#ids + 1] = ARGV[i]
end
local announced = redis.call('ZMSCORE', key, unpack(ids))
for i = 1, #ids do
  -- A day, as long as nothing is forgotten for at least three, see Board::known_for_s.
  if not announced[i] or now - announced[i] > 86400 or announced[i] - now > 0 then
    stale[#stale + 1], stale[#stale + 2] = now, ids[i]
  end
end
if #stale == 0 then return { 'OK' } end
redis.call('ZADD', key, unpack(stale))
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - known_for)
local excess = redis.call('ZCARD', key) - most
if excess > 0 then redis.call('ZREMRANGEBYRANK', key, 0, excess - 1) end
redis.call('EXPIREAT', key, math.min(now + known_for, 2 ^ 40))
return { 'OK' }
