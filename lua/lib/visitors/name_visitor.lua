-- name_visitor: who did a tracked action. Visitors are named by a hash of their fingerprint with a random salt, which is deleted a day
-- after its day. Answers as well the salt's day and the salt, with its text and expiry; of actors nothing more.
local function name_visitor(c, tracked, at)
  local fingerprint = string.match(tracked.who, '^visitor:([^.]*)%.')
  if not fingerprint then return tracked.who end
  local day = local_time(c, at).day
  local key = salt_key(c.board, day)
  local salt = c.salts[key]
  if not salt then
    salt = { text = redis.call('GET', key), day = day }
    if not salt.text then
      -- Of its own for each board and day, so that nobody can follow a visitor from one to the other.
      salt.text, salt.is_new = redis.sha1hex(c.new_salt .. key), true
    end
    c.salts[key] = salt
  end
  return 'visitor:' .. visitor_name(salt.text, fingerprint), day, salt.text
end
