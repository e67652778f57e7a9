-- delta_and_times: what was added, and how often the action happened, as a record or the journal tells them: "2" or "6*3".
local function delta_and_times(text)
  local delta, times = string.match(text, '^([^*]*)%*(%d+)$')
  return tonumber(delta or text), tonumber(times or 1)
end
