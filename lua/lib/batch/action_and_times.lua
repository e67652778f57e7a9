-- action_and_times: an action and how often it happened, nil where that is once: "view" or "view*3".
local function action_and_times(text)
  if not string.find(text, '*', 1, true) then return text end
  local action, times = string.match(text, '^([^*]*)%*(%d+)$')
  return action, tonumber(times)
end
