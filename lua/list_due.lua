-- list_due: has upkeep look at all boards of templates, where Redis lost when that is due.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @returns OK                    it is done

local key, call = registry_due_key(board), redis.call
call('ZUNIONSTORE', key, 2, key, registry_names_key(board), 'WEIGHTS', 1, 0, 'AGGREGATE', 'MIN')
-- With it the set is there without boards as well.
call('ZADD', key, '-inf', '')
return { 'OK' }
