-- removal_place: where a removal goes on that was begun and not ended, as note_removal noted it: a place of drop_from_boards; '' where it has
-- ended, and '1' where it begins. `removal` tells which one it is: since when the member, or the prefix, is kept off, and from which boards
-- it is taken.
local function removal_place(c, field)
  local since = string.match(redis.call('HGET', moved_key(c.board), field) or '', '^off (%d+)$')
  c.removal = since and since .. ' ' .. redis.sha1hex(c.units .. ' ' .. c.rolling .. ' ' .. c.decaying)
  local noted = c.removal and redis.call('HGET', removing_key(c.board), field) or ''
  if string.sub(noted, 1, #noted > 0 and #c.removal or 0) ~= c.removal then return '1' end
  return string.sub(noted, #c.removal + 2)
end
