-- fade_now: counts an event of now on the boards of the decaying windows, by its own time. Answers whether any took it. These sums
-- cannot be taken back exactly, so all but the last are read before.
local function fade_now(c, member, delta, at)
  local call, any, writes = redis.call, false, fades_now(c, delta, at)
  for i = 1, #writes do
    local key, value = writes[i].key, writes[i].value
    if i < #writes then c.put[#c.put + 1] = { key, tonumber(call('ZSCORE', key, member) or nil) } end
    local sum = tonumber(call('ZINCRBY', key, string.format('%.17g', value), member))
    local outcome = sum == value and check_sum(c, key, member, value, sum)
    if math.abs(sum) < math.abs(value) * 1e-13 then call('ZREM', key, member) end
    if outcome == 'made' then begin_fading(c, writes[i]) end
    any = any or outcome ~= 'full'
  end
  return any
end
