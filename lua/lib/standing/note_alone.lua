-- note_alone: notes in c what count_alone counted as a batch of one in tables leaves it, for add_standings: the event, the score of its member where
-- it is known, and the rolling windows that are not whole.
local function note_alone(c, member, delta, outcome)
  local stands = c.stands
  c.batch, c.boards, c.broken = { count = 1, names = { member }, members = { 1 }, outcomes = { outcome } }, {}, {}
  for _, lost in ipairs(c.lost or {}) do
    if not lost[2] then c.broken[#c.broken + 1] = lost end
  end
  local index = stands.window == '' and string.find(c.units, stands.unit, 1, true)
  local is_refused = c.refused and c.refused[index]
  -- What was read may be of before.
  if stands.sum then stands.scores = {} end
  if not (stands.sum or is_refused) or not is_standing_whole(c) then return end
  local sum = is_refused and 0 or round_decimals(tonumber(stands.sum))
  c.boards[stands.key] = { members = { 1 }, was = { is_refused and 0 or round_decimals(sum - delta) }, score = { sum } }
end
