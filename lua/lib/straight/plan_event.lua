-- plan_event: finds the plan of an event of now, or makes one, and when it happened, see record_event. Answers whether there is one, and it holds for the
-- event. The plan begins with the local hour and day of now.
local function plan_event(c, about, when)
  local options_to, time = string.find(about, '\n', 1, true), c.time
  local plan, said, last =
    find_plan(c.board, c.sender, about, options_to + 1, { 'buckets', 'sequence', c.journal and 'journal' or nil })
  c.kept_buckets, c.sequence, c.kept_journal = said[last + 1], said[last + 2], said[last + 3]
  local now, us = time[1] + 0, time[2] + 0
  c.now, c.now_ms, c.now_us = now, now * 1000 + (us - us % 1000) / 1000, now * 1000000 + us
  c.instant = c.now_us
  local ago = tonumber(when)
  c.at = when == '' and c.now_ms or ago and c.now_ms - ago or tonumber(string.match(when, '^@(%d+)$')) or math.huge
  if c.at > c.now_ms then return false end
  if plan and c.at >= plan.since and now < plan.till then
    local hour, day = string.match(plan.state[1], '^(-?%d+):(-?%d+)')
    c.plan, c.hour, c.day, c.second, c.same_from = plan, hour + 0, day + 0, now, plan.since
    return true
  end
  ask_state(c, {})
  return not read_state(c) and c.at >= c.same_from and make_plan(c, about)
end
