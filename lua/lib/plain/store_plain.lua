-- store_plain: writes what plan_plain planned.
local function store_plain(c, remembered, commands)
  if #remembered > 0 then remember_ids(c, remembered) end
  for i = 1, #commands do
    redis.call(unpack(commands[i]))
  end
end
