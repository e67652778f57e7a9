-- past_version: the version (text) of a past ranking in the state's `past`; nil when it is neither kept nor being built. The
-- ranking is right when its board carries whole_mark(version).
local function past_version(text, window, unit, length, number)
  local entry = string.format(' %s:%s:%d:%d:', window, unit, length, number)
  local _, to = string.find(text or '', entry, 1, true)
  return to and string.match(text, '^%d+', to + 1)
end
