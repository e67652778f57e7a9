-- add_restored: adds members of the archive, of each three texts from `first` on, to what is being restored of a period. What is rebuilt from several periods
-- is summed. `sequence` is that of the first member in the order of ties, where one is kept.
local function add_restored(c, aside, is_sum, texts, first, sequence)
  local KEPT_S, call = 30 * 86400, redis.call
  local scores, sort_keys, tallies, step = {}, {}, {}, c.ties == 'last' and -1 or 1
  for i = first, #texts, 3 do
    local id, score, said = texts[i], tonumber(texts[i + 1]), texts[i + 2]
    if is_sum then
      score = round_decimals(score + tonumber(call('ZSCORE', aside, id) or 0))
      if said ~= '' then said = add_tally(call('HGET', aside .. ':actions', id), said) end
    end
    scores[#scores + 1], scores[#scores + 2] = string.format('%.17g', score), id
    if said and said ~= '' then
      tallies[#tallies + 1], tallies[#tallies + 2] = id, said
    end
    if c.ties and not is_sum then
      sort_keys[#sort_keys + 1] = string.format('%.17g', pack_sort_key(score, sequence + step * (i - first) / 3, c.ties))
      sort_keys[#sort_keys + 1] = id
    end
  end
  call('ZADD', aside, unpack(scores))
  if #tallies > 0 then call('HSET', aside .. ':actions', unpack(tallies)) end
  if #sort_keys > 0 then call('ZADD', aside .. ':' .. c.ties, unpack(sort_keys)) end
  for _, key in ipairs({ aside, aside .. ':actions', c.ties and aside .. ':' .. c.ties }) do
    call('EXPIRE', key, KEPT_S)
  end
end
