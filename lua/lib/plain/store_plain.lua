-- store_plain: writes what plan_plain planned. c.is_begun says that something is counted.
local function store_plain(c, remembered, commands)
  if #remembered > 0 then remember_ids(c, remembered) end
  if c.newcomer_counts then store_newcomers(c) end
  for i = 1, #commands do
    redis.call(unpack(commands[i]))
    c.is_begun = commands[i][2] ~= state_key(c.board)
  end
  if c.indexes.entries then store_entries(c) end
end
