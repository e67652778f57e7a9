-- add_moves: adds to a reply where members stood before a call counted them, and where they stand after it, see rank_moves. `changed` are those
-- whose scores it changed on the window's board, each { before, after, name }, and `distinct` likewise the distinct scores that came and went.
local function add_moves(stands, reply, moves, changed, distinct)
  local scores, visible = {}, stands.visible
  for i = 1, #changed do
    scores[changed[i][3]] = changed[i][2]
  end
  local sides = {
    { curated = stands.curated, changed = changed, changed_index = distinct },
    { curated = curated_after(stands.curated, scores, visible.lowest), changed = {}, changed_index = {} },
  }
  local ranking = visible.ranking
  -- A place among ties may move where the score does not.
  stands.is_still = #changed == 0 or ranking ~= 'ordinal' or visible.ties == ''
  for i = 1, #changed do
    stands.is_still = stands.is_still and changed[i][1] == changed[i][2]
  end
  if ranking == 'dense' and not stands.index or not rank_moves(stands, moves, sides, ranking) then
    ranking = 'competition'
    rank_moves(stands, moves, sides, ranking)
  end
  reply[7] = ranking
  for _, move in ipairs(moves) do
    reply[#reply + 1] = move.name
    for side = 1, 2 do
      local rank = move.ranks[side]
      reply[#reply + 1] = rank or ''
      reply[#reply + 1] = rank and string.format('%.17g', move.scores[side]) or ''
    end
  end
end
