-- want_behind: finds whom a batch changes in archived periods, and reads what is noted of them, for store_behind.
local function want_behind(c)
  c.behind = {}
  for _, period in ipairs(c.period_list) do
    local board, tallies = period.board, c.hashes[period.key .. ':actions']
    local current = period_number(period.unit, c, c.week_starts_on)
    if board and is_archived(c.archived, c.begun, period.unit, period.number, current) then
      local names, changes = {}, {}
      for _, member in ipairs(board.members) do
        local name, was = c.batch.names[member], board.was[member]
        local is_counted = board.score[member] ~= was or tallies and tallies.changed and tallies.changed[name]
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
