-- visitor_name: what a digest of a visitor or a network is called on a day: a hash with the day's salt.
local function visitor_name(salt, digest) return string.sub(redis.sha1hex(salt .. digest), 1, 16) end
