-- fade_now: counts an event of now on the board of a half-life, if that is planned: its line begins at `from`. Answers whether nothing is left to
-- do, which is seldom otherwise. This sum cannot be taken back exactly, so nothing is written after it that may fail.
local function fade_now(c, plan, from, member, delta, at)
  if plan[6] == '-' then return false end
  local value = delta * 2 ^ ((at - plan[7]) / plan[8])
  local key = string.sub(c.text, from, string.find(c.text, '\n', from, true) - 1)
  local sum = tonumber(redis.call('ZINCRBY', key, string.format('%.17g', value), member))
  if sum ~= value and math.abs(sum) >= math.abs(value) * 1e-13 then return true end
  c.faded = { key = key, value = value, name = plan[6], sum = sum }
  return false
end
