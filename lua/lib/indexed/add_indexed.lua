-- add_indexed: adds an event of now to the scores of a member on boards, unread, and lists in c.put what they were. Answers the scores; nil where
-- the member was not there, or a sum is no short number.
local function add_indexed(c, keys, member, delta)
  local put, last, scores, text = {}, 0, {}, string.format('%.0f', delta)
  c.put = put
  for i = 1, #keys do
    local sum = redis.call('ZINCRBY', keys[i], text, member)
    local score = tonumber(sum)
    local old = score - delta
    put[last + 1], put[last + 2], last = keys[i], old ~= 0 and round_decimals(old), last + 2
    if old == 0 or score == 0 or #sum > 14 then return nil end
    scores[i] = score
  end
  return scores
end
