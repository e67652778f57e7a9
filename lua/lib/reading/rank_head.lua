-- rank_head: the members of a head that are shown, each as { member, score, rank }, see rank_each.
local function rank_head(head, curated, ranking, lowest)
  local shown = {}
  rank_each(head, curated, ranking, lowest, function(member, score, rank) shown[#shown + 1] = { member, score, rank } end)
  return shown
end
