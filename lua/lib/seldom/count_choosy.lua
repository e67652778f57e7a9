-- count_choosy: counts an event of now whose plan says that its member is to be looked at, as planned. Answers whether that was done, false where it
-- failed, and its outcome; nil where more of the state must be known.
local function count_choosy(c, event, delta)
  local moved = c.plan.moved
  c.moved = moved ~= '' and moved or nil
  -- A plan of an earlier version may name curated members.
  local may_refuse = c.moved or c.known_for ~= '0'
  if c.options and may_refuse then return nil end
  if c.moved then event[1] = moved_now(c, event[1]) end
  c.refuses = may_refuse and refuses
  local count, is_bounded = c.options and index_now or count_now, c.newcomers ~= ''
  return pcall(count, c, event[1], delta, event[2], c.at, c.known_as, is_bounded, c.sequence, event[5])
end
