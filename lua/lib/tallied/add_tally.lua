-- add_tally: two tallies of a member as one, see tally; false when nothing is left.
local function add_tally(said, more)
  for action, count, sum in string.gmatch(more, '(%S+) (%S+) (%S+)') do
    said = tally(said or '', action, tonumber(count), tonumber(sum), true)
  end
  return said
end
