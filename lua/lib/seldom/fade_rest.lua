-- fade_rest: counts an event of now on the boards of the decaying windows, by its own time, unless fade_now did. Answers whether any took it,
-- and whether any refused it, since the member is new and the board is full. These sums cannot be taken back exactly, so all but the
-- last are read before.
local function fade_rest(c, member, delta, at)
  local call, any, any_full = redis.call, false, false
  local fades = c.faded and { c.faded } or find_fades(c, delta, at)
  for i = 1, #fades do
    local key, value, sum = fades[i].key, fades[i].value, fades[i].sum
    if not sum then
      if i < #fades then
        local last = #c.put
        c.put[last + 1], c.put[last + 2] = key, tonumber(call('ZSCORE', key, member) or nil) or false
      end
      sum = tonumber(call('ZINCRBY', key, string.format('%.17g', value), member))
    end
    local is_full = sum == value and begin_fading(c, fades[i], member)
    -- What rounding left of a sum that was taken back.
    if math.abs(sum) < math.abs(value) * 1e-13 then call('ZREM', key, member) end
    any, any_full = any or not is_full, any_full or is_full
    if is_full then
      c.full_fades = c.full_fades or {}
      c.full_fades[fades[i].name] = true
    end
  end
  return any, any_full
end
