-- window_mark: a decaying window in the record of a tracked action. With other parameters the same name is another window.
local function window_mark(window)
  if not window.mark then
    local parameters = string.format('%s %s %.17g %d', window.kind, window.unit, window.amount, window.at)
    window.mark = window.name .. ':' .. string.sub(redis.sha1hex(parameters), 1, 4)
  end
  return window.mark
end
