-- keep_others: keeps the clock of a call that changes base boards, see keep_clock. Rolling windows that were counted, and that the call's
-- configuration lacks, do not change with it, so they are made anew when they come back.
local function keep_others(board, clock, rolling)
  local changes = {}
  keep_clock(board, clock)
  for entry in string.gmatch(clock.state.counts or '', '%S+') do
    local name = string.match(entry, '^([^:]+):%a:%d+$')
    if name and not string.find(' ' .. rolling .. ' ', ' ' .. entry .. ' ', 1, true) then
      changes[#changes + 1], changes[#changes + 2] = 'window:' .. name, 'broken'
    end
  end
  if #changes > 0 then redis.call('HSET', state_key(board), unpack(changes)) end
end
