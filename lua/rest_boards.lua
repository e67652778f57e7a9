-- rest_boards: notes when upkeep looks at boards of templates again. Where something came up since it read that they are due, they stay due.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg longest           int     the longest rest in seconds: a longer one is of a clock that was ahead, and ends
-- @each name                     a board that upkeep looked at
-- @field name            text    its name
-- @field entered         text    since when it was to be looked at, see due_boards; empty where it was not
-- @field at              int     when it is to be looked at again (Unix seconds); 0: when enter_boards has it so
-- @returns OK                    it is done

local key, call, boards, set, idle = registry_due_key(board), redis.call, {}, {}, {}
for i = names, #ARGV, 3 do
  boards[#boards + 1] = ARGV[i]
end
for i, entered in ipairs(call('ZMSCORE', key, unpack(boards))) do
  local at = names + 3 * i - 1
  if (entered or '') == ARGV[at - 1] then
    if ARGV[at] == '0' then
      idle[#idle + 1] = boards[i]
    else
      set[#set + 1] = ARGV[at]
      set[#set + 1] = boards[i]
    end
  end
end
if #idle > 0 then call('ZREM', key, unpack(idle)) end
if #set > 0 then call('ZADD', key, unpack(set)) end
local ahead, due = string.format('(%.0f', now_in_ms() / 1000 + longest), {}
for _, name in ipairs(call('ZRANGEBYSCORE', key, ahead, '+inf', 'LIMIT', 0, 1000)) do
  due[#due + 1] = 0
  due[#due + 1] = name
end
if #due > 0 then call('ZADD', key, unpack(due)) end
return { 'OK' }
