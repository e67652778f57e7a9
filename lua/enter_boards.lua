-- enter_boards: has upkeep look at boards of templates, which has work there or soon may.
--
-- A sorted set has the instants at which upkeep looks at boards (Unix seconds, or see now_in_ms for at once). They are hints: a board's own state says
-- whether anything is due.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg soon              int     boards that upkeep looks at within so many seconds stay as they are; -1: none does
-- @each name                     a board
-- @field name            text    its name
-- @returns OK                    they are entered

local now_ms, at_once = now_in_ms()
local key, entered, set = registry_due_key(board), {}, {}
for i = names, #ARGV do
  entered[#entered + 1] = ARGV[i]
end
for i, at in ipairs(redis.call('ZMSCORE', key, unpack(entered))) do
  if soon < 0 or not at or tonumber(at) > now_ms / 1000 + soon then
    set[#set + 1] = at_once
    set[#set + 1] = entered[i]
  end
end
if #set > 0 then redis.call('ZADD', key, unpack(set)) end
return { 'OK' }
