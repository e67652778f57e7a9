-- replace_object: writes an object of the archive where it is still what its writer read, so that a run that was stopped overwrites nothing
-- that another one wrote meanwhile.
--
-- @key object                    the string of the object
-- @key names                     the sorted set of the names of all
-- @arg name              text    its name
-- @arg digest            text    SHA-1 of what it was, in hexadecimal; empty: it was not there
-- @arg bytes             text    what it is to be
-- @returns OK                    it is written
-- @returns CHANGED               it is something else; nothing was done

local held = redis.call('GET', object)
if (held and redis.sha1hex(held) or '') ~= digest then return { 'CHANGED' } end
redis.call('SET', object, bytes)
redis.call('ZADD', names, 0, name)
return { 'OK' }
