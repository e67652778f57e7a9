-- registry: what a site has of boards that were made of templates.
--
-- An entry says when the board was made, begins, ends and is being deleted since (milliseconds, 0 = never), what it is called, and where it is on the way
-- to the archive and back, see archive_board, and since when. Of most boards it leaves the last two out.

-- read_board_entry: what an entry says, in this order; nil where there is none. The phase of one that is not on that way is empty.
local function read_board_entry(entry)
  local made, starts, ends, going, phase, since, title = string.match(entry or '', '^(%d+) (%d+) (%d+) (%d+) ?(%a*) ?(%d*)\n(.*)$')
  if not made then return nil end
  return made + 0, starts + 0, ends + 0, going + 0, title, phase, tonumber(since) or 0
end

-- write_board_entry: the same as an entry.
local function write_board_entry(made, starts, ends, going, title, phase, since)
  local words = string.format('%.0f %.0f %.0f %.0f', made, starts, ends, going)
  if phase ~= '' then words = words .. string.format(' %s %.0f', phase, since) end
  return words .. '\n' .. title
end

-- board_state: how a board is, and for how many milliseconds it stays so by itself; 0: for ever.
local function board_state(now_ms, starts, ends, going, phase)
  if going > 0 then return 'going', 0 end
  if phase ~= '' then return phase, 0 end
  if ends > 0 and now_ms >= ends then return 'closed', 0 end
  if now_ms < starts then return 'waiting', starts - now_ms end
  return 'open', ends > 0 and ends - now_ms or 0
end

-- add_board_entry: adds to a reply how a board is, for how long, and its entry.
local function add_board_entry(reply, now_ms, entry)
  local made, starts, ends, going, _, phase = read_board_entry(entry)
  local state, rest = '', 0
  if made then
    state, rest = board_state(now_ms, starts, ends, going, phase)
  end
  reply[#reply + 1] = state
  reply[#reply + 1] = rest
  reply[#reply + 1] = made and entry or ''
end

-- now_in_ms: TIME in milliseconds, and since when a board is due that upkeep is to look at now: TIME in microseconds, less 2^52, so that it is negative,
-- and the lowest waits longest. It is another one at each call, so rest_boards knows that something came up while upkeep worked.
local function now_in_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000), string.format('%.0f', time[1] * 1000000 + time[2] - 2 ^ 52)
end
