-- replace_indexed: gives a member its places in the orders of ties of so many boards after an undo, by its scores there: as if the action had never
-- been done. The first `units` are those of periods. `ending` is that of the orders' names. Answers that it did.
local function replace_indexed(c, keys, count, ending, member, scores)
  local tracked, ties, sequences, units = c.entry.tracked, c.indexes.ties, {}, #c.units
  local last = units
  want_undone(c, tracked)
  for i = 1, units do
    local unit = string.sub(c.units, i, i)
    local sequence = sequence_without(c, tracked, unit, c.before_now[unit])
    sequences[i] = scores[i] ~= '0' and sequence or 0
    c.periods[keys[i]] = { board = { sequence = { sequences[i] } } }
  end
  for _, window in ipairs(c.windows) do
    if window.said ~= 'broken' then
      local current, now, after = period_number(window.unit, c, c.week_starts_on), { sequence = {} }, { sequence = {} }
      local leaving = base_board(c, window, current - window.length + 1)
      if leaving and not leaving.sequence[1] then leaving.sequence[1] = read_sequence(c, leaving, 1) end
      roll_ties(c, window, current, 1, false, { now, leaving, nil, after, scores[last + 1] + 0, scores[last + 2] + 0 })
      sequences[last + 1], sequences[last + 2], last = now.sequence[1], after.sequence[1], last + 2
    end
  end
  for i = 1, count do
    if scores[i] == '0' then
      redis.call('ZREM', keys[i] .. ending, member)
    else
      redis.call('ZADD', keys[i] .. ending, string.format('%.17g', pack_sort_key(scores[i] + 0, sequences[i], ties)), member)
    end
  end
  return true
end
