-- add_indexed: adds an event of now to the scores of a member on so many boards, unread, and notes in c.added on how many. Answers the scores as texts; nil
-- where the member was not there, or a sum is no short number. One whom an undo leaves nothing goes.
local function add_indexed(c, keys, count, member, worth)
  -- Room for what is usual: tables grow by being copied.
  local scores = { '', '', '', '' }
  for i = 1, count do
    local sum = redis.call('ZINCRBY', keys[i], worth, member)
    c.added = i
    if sum == worth or sum == '0' and not c.undoes or #sum > 14 then return nil end
    if sum == '0' then redis.call('ZREM', keys[i], member) end
    scores[i] = sum
  end
  return scores
end
