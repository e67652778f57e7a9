-- plan_fading: plans the board of a half-life, where that is a target's one decaying window and its events of now count on no other board
-- than that of the landmark, see decay. Else there is more to do, if anything decays. Answers the lines of the board's key, and of the landmark
-- and the life; empty where nothing is planned.
local function plan_fading(c, plan)
  local name, life = string.match(c.decaying, '^%s*([^:%s]+):half%-life:%-:(%d+):0$')
  if not name then return '' end
  local span = 512 * life
  local number = math.floor(c.now_ms / span)
  local from_ms, until_ms = number * span + STEP_BACK_MS, (number + 1) * span - span / 8
  -- Events of now are at most an hour old.
  if c.now_ms < from_ms or c.now_ms >= until_ms or span / 8 < 3600000 or #life > 15 then return '' end
  plan.since, plan.till = math.max(plan.since, from_ms), math.min(plan.till, math.floor(until_ms / 1000))
  plan.has_more = false
  return string.format('%s\n%015.0f%015.0f', window_key(c.board, name, number), number * span, life)
end
