-- fade_now: counts an event of now on the boards of the decaying windows, by its own time. Answers whether any took it. These sums
-- cannot be taken back exactly, so all but the last are read before.
local function fade_now(c, member, delta, at)
  local call, any, writes = redis.call, false, {}
  for _, window in ipairs(decaying_windows(c)) do
    for _, on in ipairs(decaying_at(c, window, at)) do
      local value = delta * on[2]
      if value ~= 0 then
        writes[#writes + 1] = { window_key(c.board, window.name, on[1]), string.format('%.17g', value), value, window, on[1] }
      end
    end
  end
  for i = 1, #writes do
    local key, text, value = unpack(writes[i])
    local old = i < #writes and call('ZSCORE', key, member)
    local sum = tonumber(call('ZINCRBY', key, text, member))
    if i < #writes then c.put[#c.put + 1] = { key, old } end
    local outcome = sum == value and check_sum(c, key, member, value, sum)
    if math.abs(sum) < math.abs(value) * 1e-13 then call('ZREM', key, member) end
    if outcome == 'made' then call('EXPIREAT', key, decaying_expiry(c, writes[i][4], writes[i][5])) end
    any = any or outcome ~= 'full'
  end
  return any
end
