-- add_change: what is noted of a member that changes in an archived period: a line for each change, "at score tally", with what it had until
-- that instant (microseconds). So who archives knows what it had at any instant since the first one. Of more than MOST changes the one
-- goes that followed its predecessor soonest.
local function add_change(noted, at, score, said)
  local MOST, lines = 16, {}
  local line = string.format('%.0f %.17g', at, score) .. (said and ' ' .. said or '')
  if not noted then return line end
  for known in string.gmatch(noted .. '\n' .. line, '[^\n]+') do
    lines[#lines + 1] = known
  end
  if #lines > MOST then
    local soonest, least = 2, math.huge
    for i = 2, #lines do
      local gap = tonumber(string.match(lines[i], '^%d+')) - tonumber(string.match(lines[i - 1], '^%d+'))
      if gap < least then
        soonest, least = i, gap
      end
    end
    table.remove(lines, soonest)
  end
  return table.concat(lines, '\n')
end
