-- find_distinct: notes in c.stands the index of distinct scores that dense ranks are counted on: its key, and down to which score it is right
-- where a batch learned that, see load_distinct. Answers the scores that the batch put there and took away, as count_above takes them.
local function find_distinct(stands, board)
  local changed, key = {}, nil
  if stands.visible.ranking == 'dense' then key = kept_index(stands.found, stands.key, 'distinct') end
  stands.index = key and { key = key }
  if not (key and board and board.distinct_come) then return changed end
  stands.index.from = board.distinct_from
  for i = 1, #board.distinct_come, 2 do
    changed[#changed + 1] = { 0, tonumber(board.distinct_come[i]) }
  end
  for i = 1, #board.distinct_gone do
    changed[#changed + 1] = { tonumber(board.distinct_gone[i]), 0 }
  end
  return changed
end
