-- store_salts: writes the salts that name_visitor made. Each goes a day after its day.
local function store_salts(c)
  for key, salt in pairs(c.salts) do
    if salt.is_new then
      redis.call('SET', key, salt.text)
      redis.call('EXPIREAT', key, expires_at(c, 'd', salt.day, 86400))
    end
  end
end
