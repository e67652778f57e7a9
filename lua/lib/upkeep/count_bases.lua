-- count_bases: about how many entries the base boards from one period to another hold, for the progress of a scan. A board has one mark
-- of its own. Its size is known, while ZCOUNT would look for both of its ends.
local function count_bases(c, first, last)
  local entries = 0
  for number = first, last do
    entries = entries + math.max(0, redis.call('ZCARD', period_key(c.board, c.unit, number)) - 1)
  end
  return entries
end
