-- sections: which boards of sections a site has, after some were added. All or none are.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @each section                  one to add, unless it is there
-- @field name            text    its board's name, "stories.sports"
-- @field most            int     how many the board may have that is parted
-- @returns OK                    those there are
-- @group board                   in no order
-- @field name            text    its board's name
-- @returns FULL                  there is no room
-- @field name            text    for this one

local key, added = sections_key(board), {}
for i = sections, #ARGV, 2 do
  if not redis.call('ZSCORE', key, ARGV[i]) then added[#added + 1] = { ARGV[i], tonumber(ARGV[i + 1]) } end
end
local names, counts = redis.call('ZRANGE', key, 0, -1), {}
for _, name in ipairs(names) do
  local of = string.match(name, '^[^.]*')
  counts[of] = (counts[of] or 0) + 1
end
for _, one in ipairs(added) do
  local of = string.match(one[1], '^[^.]*')
  counts[of] = (counts[of] or 0) + 1
  if counts[of] > one[2] then return { 'FULL', one[1] } end
end
for _, one in ipairs(added) do
  redis.call('ZADD', key, redis.call('TIME')[1], one[1])
  names[#names + 1] = one[1]
end
return { 'OK', unpack(names) }
