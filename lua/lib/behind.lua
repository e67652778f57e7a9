-- behind: who changed in a period after it was archived.
-- @use tallies

-- add_change: what is noted of a member that changes in an archived period: a line for each change, "at score tally", with what it had until
-- that instant (microseconds). So who archives knows what it had at any instant since the first one. Of more than MOST changes the one
-- goes that followed its predecessor soonest.
local function add_change(noted, at, score, stored)
  local MOST, lines = 16, {}
  local line = string.format('%.0f %.17g', at, score) .. (stored and ' ' .. stored or '')
  if not noted then return line end
  for known in string.gmatch(noted .. '\n' .. line, '[^\n]+') do
    lines[#lines + 1] = known
  end
  if #lines > MOST then
    local soonest, least = 2, math.huge
    for i = 2, #lines do
      local gap = tonumber(string.match(lines[i], '^%d+')) - tonumber(string.match(lines[i - 1], '^%d+'))
      if gap < least then
        soonest, least = i, gap
      end
    end
    table.remove(lines, soonest)
  end
  return table.concat(lines, '\n')
end

-- last_archived: the last period of a unit that archiving was begun of: `begun` is the state's "d:20776 h:498000", of each unit that one. Below all
-- where there is none.
local function last_archived(begun, unit)
  local last = begun and string.match(' ' .. begun, string.format(' %s:(%%-?%%d+)', unit))
  return tonumber(last or -math.huge)
end

-- is_archived: whether a period is archived, or may be: whoever changes it then notes whom, see put_behind. So is one that is over, where the
-- target archives its unit, and one that archiving was begun of, whatever the clock says now, see last_archived. `current` is the unit's current period; nil between two seasons.
local function is_archived(archived, begun, unit, number, current)
  if string.find(archived, unit, 1, true) and number < (current or math.huge) then return true end
  return number <= last_archived(begun, unit)
end

-- put_behind: notes members that changed in an archived period, each a field and what add_change makes of it, and why: counted, revoked or erased.
-- `is_new` says that nobody was noted there, and `is_anew` that Redis had nothing of the period until then, so that all that it has came since.
-- The notes of who archives then get the period, with since when (milliseconds) its archive is behind, and the most urgent reason.
-- What is noted is kept for as long as the period is.
local function put_behind(board, period, changes, is_new, now_us, why, is_anew)
  local KEPT_S, RANKS, call = 30 * 86400, { counted = 0, revoked = 1, erased = 2 }, redis.call
  local key = period_key(board, period.unit, period.number)
  local behind = behind_key(key)
  if is_new then
    changes[#changes + 1], changes[#changes + 2] = '\0', '1'
  end
  call('HSET', behind, unpack(changes))
  if is_new then
    local remaining = call('TTL', key)
    if remaining ~= -1 then call('EXPIRE', behind, remaining > 0 and remaining or KEPT_S) end
  elseif why == 'counted' then
    return
  end
  local notes, name = archive_key(board), string.format('behind:%s:%d', unit_of(period.unit), period.number)
  local since, because, anew = string.match(call('HGET', notes, name) or '', '^(%d+) (%a+)(.*)$')
  if because and RANKS[because] > RANKS[why] then why = because end
  anew = since and anew or is_anew and ' anew' or ''
  call('HSET', notes, name, (since or string.format('%d', math.floor(now_us / 1000))) .. ' ' .. why .. anew)
end

-- sum_changes: what is noted of two members, see add_change, as if they had been one; nil of nobody. `had` is what each has now, { score, tally }.
local function sum_changes(noted, had)
  local lines, instants, sums = { {}, {} }, {}, {}
  for i = 1, 2 do
    for at, score, stored in string.gmatch(noted[i] or '', '(%d+) (%S+) ?([^\n]*)') do
      lines[i][#lines[i] + 1] = { tonumber(at), tonumber(score), stored }
      instants[#instants + 1] = tonumber(at)
    end
  end
  table.sort(instants)
  local function had_at(i, at)
    for _, line in ipairs(lines[i]) do
      if line[1] >= at then return line[2], line[3] end
    end
    return unpack(had[i])
  end
  for n, at in ipairs(instants) do
    if at ~= instants[n - 1] then
      local one, stored = had_at(1, at)
      local other, more = had_at(2, at)
      local both = add_tally(stored, more) or stored
      sums[#sums + 1] = string.format('%.0f %.17g', at, round_decimals(one + other)) .. (both ~= '' and ' ' .. both or '')
    end
  end
  return sums[1] and table.concat(sums, '\n')
end

-- archived_of: the period of a board's key, where it is archived, see is_archived; else nil.
local function archived_of(context, key)
  local begun = context.clock.state.archived
  for unit in string.gmatch(context.units, '.') do
    local number = number_of_key(context.board, unit, key)
    if number then
      local current = period_number(unit, context.clock, context.week_starts_on)
      return is_archived(context.archived, begun, unit, number, current) and { unit = unit, number = number } or nil
    end
  end
  return nil
end

-- archives_now: whether a current period of a call's target was archived, as it is by a clock that went back since. Its events are then counted in tables.
local function archives_now(c)
  for unit in string.gmatch(c.units, '.') do
    local current = period_number(unit, c, c.week_starts_on)
    if current and is_archived('', c.begun, unit, current) then return true end
  end
  return false
end

-- store_behind: notes whom a batch changed in archived periods, see put_behind.
local function store_behind(c)
  for _, behind in ipairs(c.behind) do
    local fields = {}
    for i, name in ipairs(behind.names) do
      local score, stored = unpack(behind.changes[i])
      fields[2 * i - 1], fields[2 * i] = name, add_change(behind.noted[i + 1], c.now_us, score, stored)
    end
    local why = c.revokes and 'revoked' or 'counted'
    put_behind(c.board, behind.period, fields, not behind.noted[1], c.now_us, why, behind.is_anew)
  end
end

-- want_behind: finds whom a batch changes in archived periods, and reads what is noted of them, for store_behind.
local function want_behind(c)
  c.behind = {}
  for _, period in ipairs(c.period_list) do
    local board, tallies = period.board, c.hashes[actions_key(period.key)]
    local current = period_number(period.unit, c, c.week_starts_on)
    if board and is_archived(c.archived, c.begun, period.unit, period.number, current) then
      local names, changes = {}, {}
      for _, member in ipairs(board.members) do
        local name, was = c.batch.names[member], board.was[member]
        local is_counted = board.score[member] ~= was or tallies and tallies.values and tallies.values[name] ~= nil
        if is_counted or board.sequence and board.sequence[member] ~= board.sequence_was[member] then
          names[#names + 1], changes[#changes + 1] = name, { was, tallies and tallies.was[name] }
        end
      end
      if names[1] then
        local noted = redis.call('HMGET', behind_key(period.key), '\0', unpack(names))
        c.behind[#c.behind + 1] =
          { period = period, names = names, changes = changes, noted = noted, is_anew = board.is_unmarked and board.made }
      end
    end
  end
end

-- note_dropped: notes that members leave an archived period, context.members, of whom some had `scores`. What was noted of them before goes, so that nobody
-- archives them as they were.
local function note_dropped(context, key, scores)
  local period, fields = archived_of(context, key), {}
  if not period then return end
  local call, behind = redis.call, behind_key(key)
  local noted = call('HMGET', behind, '\0', unpack(context.members))
  for i, name in ipairs(context.members) do
    if scores[i] or noted[i + 1] then
      fields[#fields + 1], fields[#fields + 2] = name, add_change(nil, context.clock.now_us, 0)
    end
  end
  call('HDEL', taken_key(behind), unpack(context.members))
  if fields[1] then put_behind(context.board, period, fields, not noted[1], context.clock.now_us, 'erased') end
end

-- note_merged: notes that the first of context.members becomes the second one in an archived period. The archive of both is added by who makes the
-- alias, so what is noted of the second one is from now on what both had together. `both` are their scores; the first one may have counts by action
-- alone, or may have left the board since it was archived. Done twice it finds nothing.
local function note_merged(context, key, both)
  local period = archived_of(context, key)
  if not period then return end
  local call, behind, now_us = redis.call, behind_key(key), context.clock.now_us
  local old, new = context.members[1], context.members[2]
  local tallies, taken = call('HMGET', actions_key(key), old, new), call('HMGET', taken_key(behind), old, new)
  local noted = call('HMGET', behind, old, new, '\0')
  local is_noted = taken[1] or noted[1] and not string.find(noted[1], '^%d+ 0$')
  if not (both[1] or tallies[1] or is_noted) then return end
  local had = { { tonumber(both[1] or 0), tallies[1] or '' }, { tonumber(both[2] or 0), tallies[2] or '' } }
  local function together(changes) return sum_changes(changes, had) end
  if taken[1] then
    call('HDEL', taken_key(behind), old)
    call('HSET', taken_key(behind), new, together(taken))
  end
  local sum, stored = had[1][1] + had[2][1], add_tally(had[2][2], had[1][2]) or ''
  local fields = { old, add_change(nil, now_us, 0), new, add_change(together(noted), now_us, sum, stored ~= '' and stored) }
  put_behind(context.board, period, fields, not noted[3], now_us, 'counted')
end
