-- roll_merged: gives the two members their scores on the boards of the rolling windows anew of whose base periods a chunk merged some. So
-- these are the sums of their base periods after each chunk, also where the next one comes in another period.
local function roll_merged(c)
  for window, unit, length in string.gmatch(c.rolling, '([^:%s]+):(%a):(%d+)') do
    if c.merged[unit] then
      local current = period_number(unit, c.clock, c.week_starts_on)
      assign_rolled(c, { window = window, unit = unit, length = tonumber(length), current = current })
    end
  end
end
