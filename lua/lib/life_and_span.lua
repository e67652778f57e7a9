-- life_and_span: for decay, of a window that halves every `amount` milliseconds ('half-life'), or that is multiplied by
-- `amount` at each step ('step', in steps; its span is a whole number of them).
local function life_and_span(kind, amount)
  if kind == 'half-life' then return amount, 512 * amount end
  local life = math.log(2) / -math.log(amount)
  return life, math.ceil(512 * life)
end
