-- puts_next: whether the next board of a rolling window is written unread, for the only member of a batch: its score there follows from
-- the boards that were read, and its place in the order of ties, when nothing leaves or comes, from theirs.
local function puts_next(c, now, leaving, coming)
  if c.indexes.dense then return false end
  if not c.indexes.ties or now.was[1] ~= 0 and not coming and not (leaving and (leaving.was[1] ~= 0 or leaving.score[1] ~= 0)) then
    return true
  end
  load_ties(c, now, 0, { now.mark, c.batch.names[1] })
  return false
end
