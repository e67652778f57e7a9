-- keep_value: gives a member the value of an entry on a period's board, in tables, if the board's policy keeps it instead of `old` (0 for
-- none), and with it what stands beside. Its place among ties is that of the event that brought it to its score.
local function keep_value(c, entry, period, old)
  local board, member, name, e = period.board, entry.member, c.batch.names[entry.member], entry.event
  local at, instants = c.batch.instants[e], c.indexes.policy == 'latest' and hash_of(c, instants_key(period.key))
  local old_at = instants and tonumber(get_field(instants, name) or nil) or -1
  if old ~= 0 and not policy_of(c)(entry.delta, old, at, old_at) then return 'counted' end
  if instants then
    instants.board_key = period.key
    put_field(instants, name, string.format('%d', at))
  end
  local metas, meta = hash_of(c, metas_key(period.key)), c.batch.metas[e] or false
  metas.board_key = period.key
  if meta ~= get_field(metas, name) then put_field(metas, name, meta) end
  if board.sequence and entry.delta ~= old then board.sequence[member] = c.first_sequence + e end
  set_score(board, member, entry.delta)
  return 'counted'
end
