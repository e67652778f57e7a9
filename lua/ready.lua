-- ready: shows that Redis tells the time, runs scripts and can be written to: it is no replica, and has memory left. Answers which keys it drops when it
-- has none left, and whether functions keep anything from call to call.
--
-- @key ready                     a key of its own, "eb:ready"
-- @arg kept              int     seconds until the key is gone
-- @returns OK                    it can
-- @field now_ms          int     Unix milliseconds
-- @field policy          text    its maxmemory-policy; empty where it does not tell
-- @field calls           count   how often this was called since the library was loaded; 1 at each call where nothing is kept

local time = redis.call('TIME')
redis.call('SET', ready, time[1], 'EX', kept)
local memory = redis.pcall('INFO', 'memory')
local policy = type(memory) == 'string' and string.match(memory, 'maxmemory_policy:([%w-]+)') or ''
return { 'OK', time[1] * 1000 + math.floor(time[2] / 1000), policy, count_call(ready) }
