-- add_standings: adds to a reply what c.stands asks for of each member of whom an event was counted: where it stood before, and where it
-- stands now.
local function add_standings(c, reply)
  local stands, batch, is_counted, missing = c.stands, c.batch, {}, {}
  -- The state says now which indexes are kept: the batch may have begun them.
  c.kept_indexes = c.new_indexes or c.kept_indexes
  local before, after, board = stands.before, stand(c), c.boards[stands.key]
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then is_counted[batch.members[e]] = true end
  end
  local function score_of(member, is_before)
    local score = board and (is_before and board.was or board.score)[member]
    if score then return score end
    missing[member] = missing[member] or tonumber(redis.call('ZSCORE', stands.key, batch.names[member]) or nil)
    return missing[member]
  end
  local function add(standing, member, is_before)
    local score = standing and (standing.score or score_of(member, is_before))
    local is_shown = score and (standing.score or is_enough(score, stands.visible.lowest))
    reply[#reply + 1] = is_shown and standing.rank or ''
    reply[#reply + 1] = is_shown and string.format('%.17g', score) or ''
  end
  local complete = 1
  for _, window in ipairs(c.windows) do
    if window.name == stands.window and string.sub(window.said, 1, 6) ~= 'whole ' then complete = 0 end
  end
  for _, broken in ipairs(c.broken) do
    if broken[1].name == stands.window then complete = 0 end
  end
  local named_at = stands.unit ~= 's' and period_bounds(rows_of(c), stands.unit, stands.number, c.week_starts_on)
  reply[4], reply[5], reply[6], reply[7] = stands.number, named_at or '', complete, stands.ranked_by or stands.visible.ranking
  for member = 1, #batch.names do
    if is_counted[member] then
      reply[#reply + 1] = batch.names[member]
      add(before[member], member, true)
      add(after[member], member, false)
    end
  end
end
