-- keep_until: lets a hash live until an instant (seconds) or longer: its field "\0" says until when it does. Another configuration may
-- have given it less, and a hash of before that field any time.
local function keep_until(hash, at)
  local until_at = tonumber(get_field(hash, '\0') or nil)
  if until_at and until_at + 60 >= at then return end
  hash.lives_until = math.max(hash.lives_until or 0, at)
  put_field(hash, '\0', string.format('%d', hash.lives_until))
end
