-- keys: the names of keys, each made by one function. src/store/keys.rs lists what they hold.

-- period_key: the key of the sorted set that holds one period of a board.
local function period_key(board, unit, number)
  local infix = unit == 'h' and ':hour:'
    or unit == 'd' and ':day:'
    or unit == 'w' and ':week:'
    or unit == 'm' and ':month:'
    or unit == 'y' and ':year:'
    or ':all:'
  return board .. infix .. string.format('%d', number)
end

-- window_key: the key of something of a rolling or decaying window: the sorted set of a period or generation (by its number),
-- its 'state', its 'lock'.
local function window_key(board, window, what) return board .. ':window:' .. window .. ':' .. what end

-- past_key: the sorted set of a rolling window as it was at the end of a past period. It is built when it is asked for.
local function past_key(board, window, number) return window_key(board, window, 'past:' .. number) end

-- tracked_key: the key of the hash of tracked actions, by the bucket of time in which they were recorded. `who` is an actor
-- ("actor:u7") or a visitor ("visitor:…").
local function tracked_key(board, bucket, who) return board .. ':tracked:' .. bucket .. ':' .. who end

-- once_key: the key of the hash of what an actor or visitor did in a period that counts only once in it.
local function once_key(board, unit, number, who)
  local names = { h = 'hour', d = 'day', w = 'week', m = 'month', y = 'year', a = 'ever' }
  return string.format('%s:once:%s:%d:%s', board, names[unit], number, who)
end
