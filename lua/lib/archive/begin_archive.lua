-- begin_archive: begins to archive a period: who changes it is noted from now on, and those before are forgotten. Answers and notes when that was
-- (microseconds).
local function begin_archive(board, key, unit, number, now_us)
  local call, state = redis.call, state_key(board)
  local begun = call('HGET', state, 'archived') or ''
  local last = string.match(' ' .. begun, ' ' .. unit .. ':(%-?%d+)')
  if not last or tonumber(last) < number then
    local words = { string.format('%s:%d', unit, number) }
    for word in string.gmatch(begun, '%S+') do
      if string.sub(word, 1, 1) ~= unit then words[#words + 1] = word end
    end
    table.sort(words)
    call('HSET', state, 'archived', table.concat(words, ' '))
    -- They may count in it.
    drop_plans(board)
  end
  forget_behind(board, key, unit, number)
  call('HSET', archive_key(board), 'begun', string.format('%.0f', now_us))
  return now_us
end
