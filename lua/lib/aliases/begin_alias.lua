-- begin_alias: notes that an item becomes another one, where removed members are looked up: from now on its events count for that. Gives that
-- what was curated of it, unless it is curated itself. Answers false where no more may be noted.
local function begin_alias(c, old, new, has_actors, max_size)
  local call, key, said, size = redis.call, moved_key(c.board), c.clock.state.moved or '', 0
  local field = alias_field(old, has_actors)
  local before, merging = unpack(call('HMGET', key, field, merging_field(new)))
  if string.match(before or '', '^to %d+ (.+)$') == new then return true end
  for count in string.gmatch(said, '=(%d+)') do
    size = size + count
  end
  if size >= max_size then return false end
  if not before then said = moved_counts(said, has_actors and 'items' or 0) end
  if said and not merging then said = moved_counts(said, 'merging') end
  if not said then return false end
  local list = merging and merging .. '\n' .. old or old
  local found = not has_actors and c.clock.state.moved and find_moved({ board = c.board, moved = c.clock.state.moved }, { old, new }) or {}
  local function let_in_at(i) return string.match(found[i] or '', '^in (%d+)$') or '0' end
  call('HSET', key, field, string.format('to %d %s', c.clock.now_ms, new), merging_field(new), list)
  call('HSET', key, since_field(old), let_in_at(1) .. ' ' .. let_in_at(2))
  call('HSET', key, progress_field(old), has_actors and 'actions 0' or 'boards 1')
  call('HSET', state_key(c.board), 'moved', said)
  drop_plans(c.board)
  local curated = curated_key(c.board)
  local place = not has_actors and call('ZSCORE', curated, old)
  if place then
    if not call('ZSCORE', curated, new) then call('ZADD', curated, place, new) end
    call('ZREM', curated, old)
    c.is_changed = true
  end
  return true
end
