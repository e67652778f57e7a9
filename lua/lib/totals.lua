-- totals: totals that are handed on to a database.
-- @use zones

-- add_totals: adds the totals of the members that are marked to a reply, see totals. Answers the marks of periods that are no longer kept: their
-- totals stay as they were.
local function add_totals(reply, board, clock, unit, kept, week_starts_on, marks)
  local dropped = {}
  for _, mark in ipairs(marks) do
    local number, id = string.match(mark, '^(%-?%d+):(.*)$')
    local starts_at, ends_at = period_bounds(clock.rows, unit, tonumber(number), week_starts_on)
    if ends_at and kept > 0 and ends_at + kept <= clock.now then
      dropped[#dropped + 1] = mark
    else
      local key, size = period_key(board, unit, number), #reply
      local score = redis.call('ZSCORE', key, id)
      reply[size + 1], reply[size + 2], reply[size + 3], reply[size + 4] = mark, tonumber(number), starts_at or '', id
      reply[size + 5] = score and string.format('%.17g', score) or ''
      reply[size + 6] = redis.call('HGET', actions_key(key), id) or ''
    end
  end
  return dropped
end

-- earliest_marked: when the first period of some marks starts (seconds); infinite where that is the one of all time.
local function earliest_marked(clock, unit, week_starts_on, marks)
  local earliest = math.huge
  for _, mark in ipairs(marks) do
    local starts_at = period_bounds(clock.rows, unit, tonumber(string.match(mark, '^%-?%d+')), week_starts_on)
    earliest = math.min(earliest, starts_at or math.huge)
  end
  return earliest
end
