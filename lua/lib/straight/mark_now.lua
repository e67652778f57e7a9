-- mark_now: notes that a tracked action of now counted, see mark_done: by all units but those that refused its member.
local function mark_now(c, entry, found)
  local tracked = entry.tracked
  -- Nothing else tells what counted it.
  if tracked.verb ~= 'r' and not c.journal then return mark_done(c, entry, found) end
  tracked.took, tracked.before = c.units, c.before_now or {}
  for i = 1, c.refused and #c.units or 0 do
    if c.refused[i] then tracked.took = string.gsub(tracked.took, string.sub(c.units, i, i), '') end
  end
  tracked.took_windows = usual_windows(c, found.set and ' o=' .. tracked.once .. ' ' or ' ')
  return mark_done(c, entry, found)
end
