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

local lfs = require 'lfs' -- luacheck brings it

-- The Lua files below a folder.
local function files_below(folder)
  local found = {}
  for name in lfs.dir(folder) do
    local path = folder .. '/' .. name
    if name:match('%.lua$') then
      found[#found + 1] = path
    elseif not name:match('^%.') and lfs.attributes(path, 'mode') == 'directory' then
      for _, inner in ipairs(files_below(path)) do found[#found + 1] = inner end
    end
  end
  return found
end

-- What a file of lua/lib defines.
local function definitions(path)
  local names = {}
  for line in io.lines(path) do names[#names + 1] = line:match('^local function ([%w_]+)') or line:match('^local ([%w_]+)') end
  return names
end

-- lua/build gives a file the names of its header, and every function of lua/lib that it uses.
local function declared(path)
  local names, tables = {}, {}
  for line in io.lines(path) do
    local tag, rest = line:match('^%-%- @(%a+)%s+(.+)')
    if tag == 'packed' then
      -- The text, and the table of what the lists name that follow.
      local text, fields = rest:match('^(%S+)%s+(%S+)')
      names[#names + 1], tables[#tables + 1] = text, fields
    elseif tag == 'args' or tag == 'table' then
      -- The first word after @table names what holds the lists that the others name.
      if tag == 'table' then tables[#tables + 1] = rest:match('^%S+') end
      for list in (tag == 'args' and rest:match('^%S+') or rest:match('^%S+%s+(.+)')):gmatch('%S+') do
        for field in io.lines('lua/fields/' .. list .. '.lua') do names[#names + 1] = field:match('^%-%- @field%s+(%S+)') end
      end
    elseif tag == 'each' then
      local group = rest:match('^%S+')
      names[#names + 1], names[#names + 2] = group .. 's', group .. '_fields'
    elseif tag == 'key' or tag == 'arg' then
      names[#names + 1] = rest:match('^%S+')
    end
  end
  for _, file in ipairs(files_below('lua/lib')) do
    for _, name in ipairs(definitions(file)) do names[#names + 1] = name end
  end
  return names, tables
end

for _, path in ipairs(files_below('lua')) do
  local ignored = {}
  if path:match('^lua/lib/') then
    for i, name in ipairs(definitions(path)) do ignored[i] = '211/' .. name end
  end
  local names, tables = declared(path)
  files[path] = { read_globals = names, globals = tables, ignore = ignored }
end
