-- life_and_span: the life and the span of a decaying window, for decay. A 'half-life' halves every `amount` milliseconds. A 'step'
-- is multiplied by `amount` at each step; its times are steps, and its span is a whole number of them.
local function life_and_span(kind, amount)
  if kind == 'half-life' then return amount, 512 * amount end
  local life = math.log(2) / -math.log(amount)
  return life, math.ceil(512 * life)
end
