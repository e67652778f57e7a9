-- ready: shows that Redis tells the time, runs scripts and can be written to: it is no replica, and has memory left.
--
-- @key ready                     a key of its own, "eb:ready"
-- @arg kept              int     seconds until the key is gone
-- @returns OK                    it can

redis.call('SET', ready, redis.call('TIME')[1], 'EX', kept)
return { 'OK' }
