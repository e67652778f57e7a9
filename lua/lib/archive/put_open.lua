-- put_open: adds some of what was restored of a period to what Redis has of it, and marks it where totals are handed on. Answers how many entries
-- are left.
--
-- Among equal scores a member that was restored alone counts as the one who had it first.
local function put_open(c, key, aside, changed)
  local ENTRIES, call = 1000, redis.call
  local is_new, order = call('EXISTS', key) == 0, c.ties and index_key(key, c.ties, c.index_generation)
  if is_new and order then call('ZADD', order, '-inf', '\0') end
  if order and not call('ZSCORE', order, '\0') then order = nil end
  local popped, names = call('ZPOPMAX', aside, ENTRIES), {}
  put_tallies(key .. ':actions', aside .. ':actions', popped)
  for i = 1, #popped, 2 do
    local id = popped[i]
    names[#names + 1] = id
    local sum = round_decimals(tonumber(popped[i + 1]) + tonumber(call('ZSCORE', key, id) or 0))
    local kept = order and call('ZSCORE', order, id)
    if sum == 0 then
      call('ZREM', key, id)
      if order then call('ZREM', order, id) end
    else
      call('ZADD', key, string.format('%.17g', sum), id)
      local sequence = kept and unpack_sequence(tonumber(kept), unpack_score(tonumber(kept)), c.ties) or 1
      if order then call('ZADD', order, string.format('%.17g', pack_sort_key(sum, sequence, c.ties)), id) end
    end
  end
  c.changed = changed
  if #names > 0 then mark_dropped(c, key, names) end
  return call('ZCARD', aside)
end
