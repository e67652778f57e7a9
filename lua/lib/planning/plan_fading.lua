-- plan_fading: plans the board of a half-life, where that is a target's one decaying window and its events of now count on no other board
-- than that of the landmark, see decay: its name, the landmark and the life. Answers the board's key, if any.
local function plan_fading(c, plan)
  local name, life = string.match(c.decaying, '^%s*([^:%s]+):half%-life:%-:(%d+):0$')
  if not name then return nil end
  local span = 512 * life
  local number = math.floor(c.now_ms / span)
  local until_ms = (number + 1) * span - span / 8
  -- Events of now are at most an hour old.
  if c.now_ms >= until_ms or span / 8 < 3600000 then return nil end
  plan[1], plan[2] = math.max(plan[1], math.ceil(number * span / 1000)), math.min(plan[2], math.floor(until_ms / 1000))
  plan[6], plan[7], plan[8] = name, string.format('%d', number * span), life
  return window_key(c.board, name, number)
end
