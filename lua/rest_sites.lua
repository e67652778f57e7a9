-- rest_sites: notes when upkeep looks at sites of run time again. Where something changed since it read that they are due, they stay due.
--
-- @key due_set                   the sorted set of when upkeep looks at sites
-- @key changes                   the hash of when something last changed there
-- @arg longest           int     the longest rest in seconds: a longer one is of a clock that was ahead, and ends
-- @arg unknown           int     for so many seconds nothing changed on a site of which that is not known
-- @each name                     a site that upkeep looked at
-- @field name            text    its name
-- @field changed         text    when something last changed there, see due_sites
-- @field at              int     when it is to be looked at again (Unix seconds); 0: when enter_sites has it so
-- @returns OK                    it is done

local call, looked, set, idle, noted = redis.call, {}, {}, {}, {}
local now = call('TIME')[1]
for i = names, #ARGV, 3 do
  looked[#looked + 1] = ARGV[i]
end
for i, changed in ipairs(call('HMGET', changes, unpack(looked))) do
  local at = names + 3 * i - 1
  if (changed or '') == ARGV[at - 1] then
    if ARGV[at] == '0' then
      idle[#idle + 1] = looked[i]
    else
      set[#set + 1], set[#set + 2] = ARGV[at], looked[i]
      if not changed then
        noted[#noted + 1], noted[#noted + 2] = looked[i], string.format('%.0f', now - unknown)
      end
    end
  end
end
if #idle > 0 then
  call('ZREM', due_set, unpack(idle))
  call('HDEL', changes, unpack(idle))
end
if #set > 0 then call('ZADD', due_set, 'XX', unpack(set)) end
if #noted > 0 then call('HSET', changes, unpack(noted)) end
local ahead, due = string.format('(%.0f', now + longest), {}
for _, name in ipairs(call('ZRANGEBYSCORE', due_set, ahead, '+inf', 'LIMIT', 0, 1000)) do
  due[#due + 1], due[#due + 2] = 0, name
end
if #due > 0 then call('ZADD', due_set, unpack(due)) end
return { 'OK' }
