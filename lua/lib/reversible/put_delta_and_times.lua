-- put_delta_and_times: the text that delta_and_times reads.
local function put_delta_and_times(delta, times)
  return times == 1 and string.format('%.17g', delta) or string.format('%.17g*%d', delta, times)
end
