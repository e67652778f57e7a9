-- place_members: finds the places of the members whose standings need one, in an order: ranks are places where no two are equal, and the members
-- `around` the first one are found by its place. Answers whether the order has them all where their scores belong.
local function place_members(order, curated, asked, standings, ranking, around)
  for i = 1, ranking == 'ordinal' and #asked or math.min(around, 1) do
    local standing = standings[i]
    if standing and not curated.pin_of[asked[i]] then
      standing.place, standing.at = find_place(order, curated, asked[i], standing.score, standing.higher)
      if not standing.place then return false end
    end
  end
  return true
end
