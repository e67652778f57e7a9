-- put_place: gives the only member of a batch its place in the order of ties of a rolling window's board, if that has one. `was` is its
-- score until now. The sequence number that it had is only needed by take_back, which asks the base boards for it.
local function put_place(c, window, board, was)
  local call, name, ties, score = redis.call, c.batch.names[1], c.indexes.ties, board.score[1]
  local key = index_key(board.key, ties, c.index_generation)
  local changed
  if score == 0 then
    changed = call('ZREM', key, name)
  else
    changed = call('ZADD', key, 'XX', 'CH', string.format('%.17g', pack_sort_key(score, board.sequence[1], ties)), name)
  end
  board.sequence_was[1] = board.sequence[1]
  if changed == 0 then return end
  local last = #c.put
  c.put[last + 1] = key
  c.put[last + 2] = function()
    for _, each in ipairs(c.board_list) do
      each.sequence = each.sequence_was
    end
    local current = period_number(window.unit, c, c.week_starts_on)
    return pack_sort_key(was, base_sequence(c, window, window.length, current, 1), ties)
  end
end
