-- name_visitor: who did a tracked action. Visitors are named by a hash of their fingerprint with a random salt, which is deleted a day
-- after its day.
local function name_visitor(c, tracked, at)
  local fingerprint = string.match(tracked.who, '^visitor:(.*)$')
  if not fingerprint then return tracked.who end
  local _, day = c.hour_and_day(at)
  local key = string.format('%s:salt:%d', c.board, day)
  local salt = c.salts[key] or redis.call('GET', key)
  if not salt then
    -- Of its own for each board and day, so that nobody can follow a visitor from one to the other.
    salt = redis.sha1hex(c.new_salt .. key)
    c.new_salts[key] = { salt, c.expires_at('d', day, 86400) }
  end
  c.salts[key] = salt
  return 'visitor:' .. string.sub(redis.sha1hex(salt .. fingerprint), 1, 16)
end
