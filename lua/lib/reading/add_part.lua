-- add_part: what a member has on the board of a key, added to the parts of an explanation. Answers its sum.
local function add_part(parts, key, period, starts_at, member)
  local sum, actions = redis.call('ZSCORE', key, member), redis.call('HGET', key .. ':actions', member)
  if not sum and not actions then return 0 end
  local part = { period, starts_at or '', string.format('%.17g', tonumber(sum or 0)), actions or '' }
  for i = 1, #part do
    parts[#parts + 1] = part[i]
  end
  return tonumber(sum or 0)
end
