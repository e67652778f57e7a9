-- is_enough: whether a member of this score is shown, by the lowest score that is; 0 for all above it.
local function is_enough(score, lowest) return score and (score > lowest or lowest > 0 and score == lowest) end
