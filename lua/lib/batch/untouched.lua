-- untouched: the reply of a script that failed and has written nothing, or has taken it back. `problem` is what pcall caught: FAILED tells it
-- from what a script refuses by itself.
local function untouched(problem)
  local text = type(problem) == 'table' and problem.err or tostring(problem)
  return redis.error_reply('UNTOUCHED FAILED ' .. string.gsub(text, '^%-', ''))
end
