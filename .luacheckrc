-- What luacheck refuses in the scripts of lua/.

-- All that Redis gives a script; it runs Lua 5.1.
std = {
  read_globals = {
    'ARGV', 'KEYS', 'redis', 'string', 'table', 'math', 'bit', 'cjson', 'cmsgpack', 'struct',
    'assert', 'error', 'getmetatable', 'ipairs', 'next', 'pairs', 'pcall', 'rawequal', 'rawget', 'rawset', 'select',
    'setmetatable', 'tonumber', 'tostring', 'type', 'unpack', 'xpcall', '_VERSION',
  },
}
max_line_length = false -- the formatter breaks lines

-- The names that lua/build gives a file are those of its header.
local function declared(path)
  local names = {}
  for line in io.lines(path) do
    local tag, rest = line:match('^%-%- @(%a+)%s+(.+)')
    if tag == 'args' then
      for field in io.lines('lua/fields/' .. rest:match('^%S+') .. '.lua') do names[#names + 1] = field:match('^%-%- @field%s+(%S+)') end
    end
    if tag == 'include' or tag == 'later' then
      for name in rest:gmatch('%S+') do names[#names + 1] = name end
    elseif tag == 'each' then
      local group = rest:match('^%S+')
      names[#names + 1], names[#names + 2] = group .. 's', group .. '_fields'
    elseif tag == 'key' or tag == 'arg' then
      names[#names + 1] = rest:match('^%S+')
    end
  end
  return names
end

local lfs = require 'lfs' -- luacheck brings it
for _, folder in ipairs { 'lua', 'lua/lib' } do
  for file in lfs.dir(folder) do
    local name = file:match('^(.+)%.lua$')
    local path = folder .. '/' .. file
    if name then
      -- A file of lua/lib is the one function of its name, which others include.
      files[path] = { read_globals = declared(path), ignore = folder == 'lua/lib' and { '211/' .. name } or nil }
    end
  end
end
