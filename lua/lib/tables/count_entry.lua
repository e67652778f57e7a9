-- count_entry: counts an entry into every window, in tables, unless its member is new and its sender made enough of those: then the outcome is
-- m, else that of count_in_windows. What is refused does not count as a new member.
local function count_entry(c, entry)
  local is_new = c.newcomers ~= '' and is_newcomer(c, entry)
  if is_new and not may_join(c, entry.event) then return 'm' end
  local outcome = count_in_windows(c, entry)
  if is_new and outcome ~= 'c' then forget_newcomer(c, entry.event) end
  return outcome
end
