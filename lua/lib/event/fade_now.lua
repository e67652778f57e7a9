-- fade_now: counts an event of now on the board of a half-life, whose line of the plan in c.text has these ends. Answers whether nothing is left to do,
-- which is seldom otherwise. This sum cannot be taken back exactly, so nothing is written after it that may fail.
local function fade_now(c, line_from, line_to, member, delta, at)
  local sub, text = string.sub, c.text
  local value = delta * 2 ^ ((at - sub(text, line_to + 1, line_to + 15)) / sub(text, line_to + 16, line_to + 30))
  local key = sub(text, line_from + 1, line_to - 1)
  local sum = redis.call('ZINCRBY', key, string.format('%.17g', value), member) + 0
  if sum ~= value and math.abs(sum) >= math.abs(value) * 1e-13 then return true end
  c.faded = { key = key, value = value, name = string.match(key, '([^:]+):%d+$'), sum = sum }
  return false
end
