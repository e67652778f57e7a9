-- read_resets: the state's `resets`: the latest instant (milliseconds) of all, and then "d:20771:20777:1795176000123" and "hot=1795176000123", as a
-- list of { unit, first, last, at }: what happened until then counts no more in these periods. `windows` tells the same of decaying
-- windows by their names.
local function read_resets(text)
  local resets = { windows = {} }
  for unit, first, last, at in string.gmatch(text, ' (%a):(%d+):(%d+):(%d+)') do
    resets[#resets + 1] = { unit, tonumber(first), tonumber(last), tonumber(at) }
  end
  for name, at in string.gmatch(text, ' (%S+)=(%d+)') do
    resets.windows[name] = tonumber(at)
  end
  return resets
end
