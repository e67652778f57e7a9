-- place_standing: the place of a member on the window that c.stands asks for, by the order of ties where that is kept there; nil of who is
-- not there, and of who is curated. `score` is only needed where somebody is.
local function place_standing(stands, curated, member, score)
  if curated.is_moved[member] or score == false then return nil end
  local key, order = stands.key, order_of(stands)
  return order and find_place(order, curated, member, score, 0) or find_place(key, curated, member, score, 0)
end
