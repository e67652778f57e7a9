-- add_scores: adds the scores of members on a base board, and on those that are scanned together with it, to those on a board that is
-- being summed up, and keeps the latest of their sequence numbers. A sum of zero stays until the scan ends, so that its
-- sequence number does.
local function add_scores(c, scan, target, members, scores)
  local call, format, sequences = redis.call, string.format, nil
  if c.ties then sequences = last_sequences(c, members, scan.stage, scan.ahead) end
  add_more(c, scan, members, scores)
  local olds, sums, set = call('ZMSCORE', target, unpack(members)), {}, {}
  for i = 1, #members do
    local sum = olds[i] and olds[i] + scores[i] or scores[i]
    if sum % 1 ~= 0 then sum = round_decimals(sum) end
    sums[i] = sum
    set[2 * i - 1], set[2 * i] = format(sum % 1 == 0 and sum > -2 ^ 53 and sum < 2 ^ 53 and '%d' or '%.17g', sum), members[i]
  end
  if c.ties then
    for i = 1, #members do
      olds[i] = olds[i] and tonumber(olds[i])
    end
    local known = sequences_on(c, target, members, olds)
    for i = 1, #members do
      sequences[i] = math.max(sequences[i], known[i])
    end
    put_sequences(c, target, members, sums, sequences)
  end
  call('ZADD', target, unpack(set))
end
