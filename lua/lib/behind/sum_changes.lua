-- sum_changes: what is noted of two members, see add_change, as if they had been one; nil of nobody. `had` is what each has now, { score, tally }.
local function sum_changes(noted, had)
  local lines, instants, sums = { {}, {} }, {}, {}
  for i = 1, 2 do
    for at, score, said in string.gmatch(noted[i] or '', '(%d+) (%S+) ?([^\n]*)') do
      lines[i][#lines[i] + 1] = { tonumber(at), tonumber(score), said }
      instants[#instants + 1] = tonumber(at)
    end
  end
  table.sort(instants)
  local function had_at(i, at)
    for _, line in ipairs(lines[i]) do
      if line[1] >= at then return line[2], line[3] end
    end
    return unpack(had[i])
  end
  for n, at in ipairs(instants) do
    if at ~= instants[n - 1] then
      local one, said = had_at(1, at)
      local other, more = had_at(2, at)
      local both = add_tally(said, more) or said
      sums[#sums + 1] = string.format('%.0f %.17g', at, round_decimals(one + other)) .. (both ~= '' and ' ' .. both or '')
    end
  end
  return sums[1] and table.concat(sums, '\n')
end
