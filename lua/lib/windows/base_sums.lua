-- base_sums: for each member the sum of its scores over `length` base periods, the last of which is `last`.
local function base_sums(board, unit, length, last, members)
  local sums = {}
  for i = 1, #members do
    sums[i] = 0
  end
  for number = last - length + 1, last do
    local scores = scores_of(period_key(board, unit, number), members)
    for i = 1, #members do
      sums[i] = round_decimals(sums[i] + scores[i])
    end
  end
  return sums
end
