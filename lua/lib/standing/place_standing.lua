-- place_standing: the place of a member on the window that c.stands asks for, by the order of ties where that is kept there; nil of who is
-- not there, and of who is curated. `score` is only needed where somebody is.
local function place_standing(stands, curated, member, score)
  if curated.is_moved[member] or score == false then return nil end
  local found, ties = stands.found, stands.visible.ties
  local order, is_doubtful
  if ties ~= '' then
    order, is_doubtful = kept_index(found, found.key, ties)
  end
  local is_kept = order and not (is_doubtful and redis.call('ZCARD', order) ~= redis.call('ZCARD', found.key))
  return is_kept and find_place(order, curated, member, score, 0) or find_place(found.key, curated, member, score, 0)
end
