-- read_metas: what stands beside the values of members on the window that find_window found: a list as JSON, with null for nothing. Of a
-- united window it stands beside a base period's value, in the first one that has the member's.
local function read_metas(found, members)
  local texts, asked = {}, found.asked
  local function read(key, wanted)
    if #wanted == 0 then return end
    local names = {}
    for w = 1, #wanted do
      names[w] = members[wanted[w]]
    end
    local metas = redis.call('HMGET', metas_key(key), unpack(names))
    for w = 1, #wanted do
      texts[wanted[w]] = metas[w] or 'null'
    end
  end
  if asked.kind ~= 'united' then
    local all = {}
    for i = 1, #members do
      all[i] = i
    end
    read(found.key, all)
    return '[' .. table.concat(texts, ',') .. ']'
  end
  local scores = #members > 0 and redis.call('ZMSCORE', found.key, unpack(members)) or {}
  for number = found.period - asked.length + 1, found.period do
    local base, wanted = period_key(found.board, asked.unit, number), {}
    local theirs = #members > 0 and redis.call('ZMSCORE', base, unpack(members)) or {}
    for i = 1, #members do
      if not texts[i] and theirs[i] and theirs[i] == scores[i] then wanted[#wanted + 1] = i end
    end
    read(base, wanted)
  end
  for i = 1, #members do
    texts[i] = texts[i] or 'null'
  end
  return '[' .. table.concat(texts, ',') .. ']'
end
