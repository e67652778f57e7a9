-- united: values for readers: rolling windows of them, and what stands beside them.

-- find_united: completes what find_window found of a rolling window of values, which is made of its base periods when it is asked for, see
-- unite. The score of its mark tells after which change that was: below zero, so that it is no member's.
local function find_united(found)
  local key = window_key(found.board, found.asked.window, found.period)
  local made = tonumber(redis.call('ZSCORE', key, whole_mark(found.clock.generation)) or nil)
  found.complete, found.key, found.changed = made and true or false, made and key, made and string.format('%.0f', -made)
  return found
end

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
