-- bucket_of: the number of the bucket of 31 days that holds an instant (seconds), and the bucket's end. What tracked actions
-- leave behind lies in one key per bucket, which expires as a whole. Buckets do not depend on actor_history, so a change of
-- the configuration forgets nothing.
local function bucket_of(t)
  local number = math.floor(t / (31 * 86400))
  return number, (number + 1) * 31 * 86400
end
