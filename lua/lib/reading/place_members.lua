-- place_members: finds the places of the members whose standings need one, in an order. The place of the first member always is;
-- ranks are places where no two are equal. Answers whether the order has them all where their scores belong.
local function place_members(order, curated, asked, standings, ranking)
  for i = 1, ranking == 'ordinal' and #asked or 1 do
    local standing = standings[i]
    if standing and not curated.pin_of[asked[i]] then
      standing.place, standing.at = find_place(order, curated, asked[i], standing.score, standing.higher)
      if not standing.place then return false end
    end
  end
  return true
end
