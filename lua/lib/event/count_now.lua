-- count_now: counts one event of now as planned, one write per board, unread where that is exact. Answers its outcome; nil where what is
-- left is seldom, for finish_now.
--
-- c keeps what take_back needs when a write fails: id_key, the last unit that was counted, and put; and what finish_now needs: sums by
-- unit that tell of a new member, and lost, see roll_now.
local function count_now(c, plan, member, delta, at, id)
  local call, find, sub, keys, from, sums = redis.call, string.find, string.sub, c.text, plan[10], nil
  if id ~= '' then
    local key = c.board .. ':ids:' .. c.sender .. ':' .. plan[5]
    local was_known = call('SISMEMBER', c.board .. ':ids:' .. c.sender .. ':' .. plan[4], id) == 1
    if call('SADD', key, id) == 0 or was_known then return 'd' end
    c.id_key = key
  end
  local refusal = c.refuses and c.refuses(c, member)
  if refusal then return refusal end
  local text = string.format('%.0f', delta)
  for i = tonumber(plan[9]), 1, -1 do
    local to = find(keys, '\n', from, true)
    local sum = call('ZINCRBY', sub(keys, from, to - 1), text, member)
    c.counted, from = i, to + 1
    -- Zeros are not kept, so such a sum means that the member is new.
    if sum == text or sum == '0' or #sum > 14 then
      sums = sums or {}
      sums[i] = sum
    end
  end
  c.sums, c.put, c.lost = sums, {}, {}
  if sums then return nil end
  -- Whether a window is as the state says is seen when the plan is made.
  local roll = c.new_plan and roll_now or add_now
  for w = 1, #c.windows do
    from = roll(c, c.windows[w], from, member, delta, text)
  end
  -- finish_now counts on decaying windows as well, so nothing was counted there before.
  if c.lost[1] or c.new_plan or c.now_ms % 64 == 0 then return nil end
  if plan[6] ~= '' and not fade_now(c, plan, from, member, delta, at) then return nil end
  call('HSET', c.board .. ':state', 'changed', c.now_us)
  return 'c'
end
