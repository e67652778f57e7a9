-- action_and_times: an action, how often it happened, nil where that is once, and its item, if it is told: "view", "view*3" or "view\nitem".
local function action_and_times(text)
  if not string.find(text, '[*\n]') then return text end
  local action, times, item = string.match(text, '^([^*\n]*)%*?(%d*)\n?(.*)$')
  return action, tonumber(times), item ~= '' and item or nil
end
