-- count_now: counts one event of now as planned, one write per board, unread where that is exact. `worth` is `delta` as a text. Answers its outcome; nil where what is left is seldom, for finish_now.
--
-- That a rolling window's board is whole is seen when the plan is made. Until it ends that changes only in the state, or when the key goes and
-- its members with it. Whose score stands on the board of the next period has all there that came since.
--
-- c keeps what take_back needs when a write fails: id_key, and how many boards were added to; and what finish_now needs: sums by unit that
-- tell of a new member, is_lone, where a member was not on a rolling window's board or the next one; and is_unfit, where
-- nothing was counted since the event needs more.
local function count_now(c, member, delta, worth, at, id, is_bounded)
  local call, plan = redis.call, c.plan
  local keys, units, sums = plan.keys, plan.units, nil
  -- A bounded sender needs a period that tells whether the member is new.
  if id ~= '' and plan.ids == '' or units == 0 and is_bounded then
    c.is_unfit = true
    return nil
  end
  if id ~= '' and remember_now(c, id) then return 'd' end
  local refusal = c.refuses and c.refuses(c, member)
  if refusal then return refusal end
  for i = 1, #keys do
    if i > units and (sums or c.new_plan) then return nil end
    local sum = call('ZINCRBY', keys[i], worth, member)
    c.added = i
    -- Zeros are not kept, so such a sum means that the member is new.
    if sum == worth or sum == '0' or #sum > 14 then
      if i > units then
        c.is_lone = true
        return nil
      end
      sums = sums or {}
      sums[units + 1 - i], c.sums = sum, sums
    end
  end
  -- finish_now counts on decaying windows as well, so nothing was counted there before.
  if sums or c.new_plan or plan.has_more then return nil end
  if plan.fading ~= '' and not fade_now(c, member, delta, at) then return nil end
  call('HSET', c.board .. ':state', 'changed', c.instant)
  return 'c'
end
