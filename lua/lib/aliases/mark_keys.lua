-- mark_keys: the keys of the sets of what counts once in a period, as once_keys lists them, and of those of visitors, which are kept for a
-- day.
local function mark_keys(c)
  local keys, day = once_keys(c), c.clock.day
  for i = 1, #keys do
    for of = day - 2, day + 1 do
      keys[#keys + 1] = string.format('%s:visitors:%d', keys[i], of)
    end
  end
  return keys
end
