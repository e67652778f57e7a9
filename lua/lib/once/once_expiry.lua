-- once_expiry: when a set of once_mark expires (seconds): once_kept after its period's end; that of a day's visitors with their salt at the latest. nil
-- for never.
local function once_expiry(c, set)
  local expiry = expires_at(c, set.unit, set.number, c.once_kept)
  return set.of_day and math.min(expiry or math.huge, expires_at(c, 'd', set.of_day, 86400)) or expiry
end
