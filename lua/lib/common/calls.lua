-- calls: how often the library was called by whoever asks for that.

-- CALLS: how often, by key.
local CALLS = {}

-- count_call: counts a call, and answers how many there were since the library was loaded. Always 1 where Redis keeps nothing from call to call.
local function count_call(key)
  CALLS[key] = (CALLS[key] or 0) + 1
  return CALLS[key]
end
