-- store_once: writes the marks that changed, and gives a new set its expiry.
local function store_once(c, set)
  local come, gone = {}, {}
  for digest in pairs(set.changed) do
    if set.has[digest] ~= set.was[digest] then
      local list = set.has[digest] and come or gone
      list[#list + 1] = digest
    end
  end
  if #come > 0 and not set.is_there then come[#come + 1] = '\0' end
  if #come > 0 then redis.call('SADD', set.key, unpack(come)) end
  if #gone > 0 then redis.call('SREM', set.key, unpack(gone)) end
  local expiry = #come > 0 and not set.is_there and once_expiry(c, set)
  if expiry then redis.call('EXPIREAT', set.key, expiry) end
end
