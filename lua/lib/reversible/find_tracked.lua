-- find_tracked: the latest record of a tracked action, the hash that holds it, and whether it is still within the actor history
-- (seconds). nil when there is none within `reach` actor histories. A record stays known for two, so that an undo that comes too
-- late is reported so.
local function find_tracked(c, who, what, reach)
  for _, bucket in ipairs(tracked_buckets(c, reach)) do
    local hash = hash_of(c, tracked_key(c.board, bucket, who))
    local record = get_field(hash, what)
    if record then
      local age = c.now_ms - tonumber(string.match(record, '^%a+,(%d+)'))
      if age <= 2 * c.actor_history * 1000 then return record, hash, age <= c.actor_history * 1000 end
      return nil
    end
  end
end
