-- store_batch: writes what was counted in tables. First it reads what it must know to write; each changed key is then
-- written once, and gets its expiry when that makes it.
local function store_batch(c, remember_all, late)
  local call, sets, hashes = redis.call, c.sets, c.hashes
  local made = {}
  for key, set in pairs(sets.known) do
    if sets.plan(set, c.indexes.dense) then made[key] = true end
  end
  for key, hash in pairs(hashes.known) do
    -- A board's counts by action expire with it.
    local board_key, is_board = string.gsub(key, ':actions$', '')
    if hashes.plan(hash, is_board == 1) then made[board_key] = true end
  end

  remember_all()
  for key, salt in pairs(c.new_salts) do
    call('SET', key, salt[1])
    call('EXPIREAT', key, salt[2])
  end
  if c.first_sequence then call('INCRBY', c.board .. ':sequence', c.batch.count) end
  for _, set in pairs(sets.known) do
    if sets.store(set) then made[set.key] = true end
  end
  for _, hash in pairs(hashes.known) do
    hashes.store(hash)
  end
  for _, set in pairs(sets.known) do
    if made[set.key] and set.rolled then
      local window, number = unpack(set.rolled)
      expire_window(c.rows(), c.board, window.name, window.unit, number, c.week_starts_on, c.indexes)
    elseif made[set.key] and set.expires_at then
      expire_board(c.indexes, set.key, set.expires_at)
    end
  end
  for _, period in ipairs(c.all_periods) do
    local expiry = (made[period.key] or period.refused > 0) and c.expires_at(period.unit, period.number, period.retention)
    if made[period.key] and expiry then expire_board(c.indexes, period.key, expiry) end
    if period.refused > 0 then
      call('INCRBY', period.key .. ':refused', period.refused)
      if expiry then call('EXPIREAT', period.key .. ':refused', expiry) end
    end
  end
  for i = 1, #late do
    call('HINCRBY', window_key(c.board, late[i], 'state'), 'late', 1)
  end
end
