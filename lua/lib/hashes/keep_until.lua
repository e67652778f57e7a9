-- keep_until: lets a hash live until an instant (seconds) or longer: its field "\0" says until when it does. Another configuration may
-- have given it less; one of layout 1, which had no such field, may live longer.
local function keep_until(hash, at, is_old)
  local until_at = tonumber(get_field(hash, '\0') or nil)
  if until_at and until_at + 60 >= at then return end
  hash.lives_until, hash.may_live_longer = math.max(hash.lives_until or 0, at), is_old and not hash.was['\0']
  put_field(hash, '\0', string.format('%d', hash.lives_until))
end
