-- count_choosy: counts an event of now whose plan says that its member is to be looked at, as planned. Answers whether that was done, false where it
-- failed, and its outcome; nil where more of the state must be known.
local function count_choosy(c, event, delta)
  local curated, moved = string.match(c.text, '([^\n]*)\n([^\n]*)\n$')
  c.moved = moved ~= '' and moved or nil
  local may_refuse = c.moved or c.known_for ~= '0'
  if c.options and may_refuse then return nil end
  if c.moved then event[1] = moved_now(c, event[1]) end
  local is_curated = string.find('\t' .. curated, '\t' .. event[1] .. '\t', 1, true)
  if c.options and is_curated then return nil end
  c.notes, c.refuses = is_curated and forgets(c, event[1]), may_refuse and refuses
  return pcall(
    c.options and index_now or count_now,
    c,
    event[1],
    delta,
    event[2],
    c.at,
    c.known_as,
    c.newcomers ~= '',
    c.sequence,
    event[5]
  )
end
