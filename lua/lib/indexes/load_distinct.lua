-- load_distinct: how the distinct scores of a board change with what was counted in tables: which come, and which nobody has any more.
-- Their holders are counted in a hash beside them. Reads that with one command.
local function load_distinct(c, board)
  local change, texts = {}, {}
  for _, member in ipairs(board.members) do
    local old, new = board.was[member], board.score[member]
    if old ~= new then
      change[old], change[new] = (change[old] or 0) - 1, (change[new] or 0) + 1
    end
  end
  change[0] = nil
  for score in pairs(change) do
    texts[#texts + 1] = string.format('%.17g', score)
  end
  local key = index_key(board.key, 'holders', c.index_generation)
  local holders = redis.call('HMGET', key, '\0', unpack(texts))
  if not (holders[1] or board.made) then return end
  -- Upkeep builds an index from the highest score down, see build_holders: lower ones are left to it.
  local is_built = board.made or holders[1] == '-inf'
  local from = is_built and -math.huge or tonumber(holders[1])
  local come, gone, counts, none = {}, {}, board.made and { '\0', '-inf' } or {}, {}
  for i = 1, #texts do
    local old, score = tonumber(holders[i + 1] or 0), tonumber(texts[i])
    local new = old + change[score]
    if score >= from and new > 0 then
      counts[#counts + 1], counts[#counts + 2] = texts[i], string.format('%d', new)
      if old <= 0 then
        come[#come + 1], come[#come + 2] = texts[i], texts[i]
      end
    elseif score >= from then
      none[#none + 1], gone[#gone + 1] = texts[i], texts[i]
    end
  end
  board.holders_key, board.distinct_key = key, index_key(board.key, 'distinct', c.index_generation)
  board.distinct_come, board.distinct_gone, board.holders, board.holders_gone = come, gone, counts, none
  board.distinct_from = from
  redis.call('ZSCORE', board.distinct_key, '\0')
end
