-- add_moves: adds to a reply of record_standing where the members of whom an event of a batch was counted stood before, and where they stand after
-- it, see rank_members. Where dense ranks are not known of all of them, they are those of a competition, and the reply's ranked_by says so.
local function add_moves(reply, batch, before, after)
  local is_counted, format = {}, string.format
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then is_counted[batch.members[e]] = true end
  end
  for member in pairs(is_counted) do
    for _, side in ipairs({ before, after }) do
      if side.standings[member] and side.ranked_by ~= reply[7] then reply[7] = side.ranked_by end
    end
  end
  for member, name in ipairs(batch.names) do
    if is_counted[member] then reply[#reply + 1] = name end
    for _, side in ipairs(is_counted[member] and { before, after } or {}) do
      local standing = side.standings[member]
      local rank = standing and (side.ranked_by == reply[7] and standing.rank or standing.higher + 1)
      reply[#reply + 1] = rank or ''
      reply[#reply + 1] = rank and format('%.17g', standing.score) or ''
    end
  end
end
