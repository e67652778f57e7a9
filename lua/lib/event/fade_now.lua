-- fade_now: counts an event of now on the board of its plan's half-life. Answers whether nothing is left to do,
-- which is seldom otherwise. This sum cannot be taken back exactly, so nothing is written after it that may fail.
local function fade_now(c, member, delta, at)
  local plan = c.plan
  local key, value = plan.fading, delta * 2 ^ ((at - plan.landmark) / plan.life)
  local sum = redis.call('ZINCRBY', key, string.format('%.17g', value), member) + 0
  if sum ~= value and math.abs(sum) >= math.abs(value) * 1e-13 then return true end
  c.faded = { key = key, value = value, name = string.match(key, '([^:]+):%d+$'), sum = sum }
  return false
end
