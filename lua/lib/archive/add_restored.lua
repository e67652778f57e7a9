-- add_restored: adds members of the archive, which begin at an argument, to what is being restored of a period. What is rebuilt from several periods
-- is summed. `sequence` is that of the first member in the order of ties, where one is kept.
local function add_restored(c, aside, is_sum, first, sequence)
  local KEPT_S, call = 30 * 86400, redis.call
  local scores, sort_keys, step = {}, {}, c.ties == 'last' and -1 or 1
  for i = first, #ARGV, 2 do
    local id, score = ARGV[i], tonumber(ARGV[i + 1])
    if is_sum then score = round_decimals(score + tonumber(call('ZSCORE', aside, id) or 0)) end
    scores[#scores + 1], scores[#scores + 2] = string.format('%.17g', score), id
    if c.ties and not is_sum then
      sort_keys[#sort_keys + 1] = string.format('%.17g', pack_sort_key(score, sequence + step * (i - first) / 2, c.ties))
      sort_keys[#sort_keys + 1] = id
    end
  end
  call('ZADD', aside, unpack(scores))
  call('EXPIRE', aside, KEPT_S)
  if #sort_keys == 0 then return end
  call('ZADD', aside .. ':' .. c.ties, unpack(sort_keys))
  call('EXPIRE', aside .. ':' .. c.ties, KEPT_S)
end
