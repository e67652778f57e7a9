-- enter_sites: has upkeep look at sites that were made at run time.
--
-- A sorted set has the instants at which upkeep looks at sites (Unix seconds), and a hash those at which something last changed there, as far as that
-- was told. They are hints: what is due of a site, its own keys say.
--
-- @key due_set                   the sorted set of when upkeep looks at sites
-- @key changes                   the hash of when something last changed there
-- @arg lost              int     0: something changed there; 1: Redis lost the set, and all sites are entered, some at a time
-- @arg before            int     of these, how many were entered already
-- @arg in_minute         int     of these, how many are looked at in each minute
-- @arg last              int     1: these are the last ones of them
-- @each name                     a site
-- @field name            text    its name
-- @returns OK                    they are entered

local now, call = redis.call('TIME')[1], redis.call
local set, changed = {}, {}
for i = names, #ARGV do
  local minute = lost == 1 and math.floor((before + i - names) / in_minute) or 0
  set[#set + 1], set[#set + 2] = string.format('%.0f', now + 60 * minute), ARGV[i]
  changed[#changed + 1], changed[#changed + 2] = ARGV[i], now
end
if lost == 1 then
  if #set > 0 then call('ZADD', due_set, 'NX', unpack(set)) end
  -- With it the set is there without sites as well.
  if last == 1 then call('ZADD', due_set, '-inf', '') end
else
  call('ZADD', due_set, 'LT', unpack(set))
  call('HSET', changes, unpack(changed))
end
return { 'OK' }
