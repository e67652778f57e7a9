-- add_board: adds to c.gone the keys of a board and of everything that is kept beside it. Answers how many members it has.
local function add_board(c, key)
  local gone = c.gone
  for _, beside in ipairs({
    key,
    key .. ':actions',
    key .. ':refused',
    metas_key(key),
    instants_key(key),
    behind_key(key),
    behind_key(key) .. ':taken',
  }) do
    gone[#gone + 1] = beside
  end
  for generation = 0, tonumber(c.index_generation) do
    for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
      gone[#gone + 1] = index_key(key, index, string.format('%d', generation))
    end
  end
  return redis.call('ZCOUNT', key, '(-inf', '+inf')
end
