-- aliases: members that become others, and how far that is.
-- @use alias_marks, becoming, erasure, journal, merging, removed, undoing

-- progress_field: the field of the hash of moved members that tells how far making an item another one is, see alias.
local function progress_field(item) return '\3' .. item end

-- who_is_off: which of context.members is kept off the board, if any; where items are no members, none is.
local function who_is_off(context, has_actors)
  if has_actors or not context.clock.state.moved then return nil end
  local found = find_moved(context.board, context.clock.state.moved, context.members)
  for i = 1, 2 do
    if string.sub(found[i] or '', 1, 3) == 'off' then return context.members[i] end
  end
  return nil
end

-- begin_alias: notes that an item becomes another one, where removed members are looked up: from now on its events count for that. Gives that
-- what was curated of it, unless it is curated itself. Answers false where no more may be noted.
local function begin_alias(context, old, new, has_actors, max_size)
  local call, key, stored, size = redis.call, moved_key(context.board), context.clock.state.moved or '', 0
  local field = alias_field(old, has_actors)
  local before, merging = unpack(call('HMGET', key, field, merging_field(new)))
  if string.match(before or '', '^to %d+ (.+)$') == new then return true end
  for count in string.gmatch(stored, '=(%d+)') do
    size = size + count
  end
  if size >= max_size then return false end
  if not before then stored = moved_counts(stored, has_actors and 'items' or 0) end
  if stored and not merging then stored = moved_counts(stored, 'merging') end
  if not stored then return false end
  local list = merging and merging .. '\n' .. old or old
  local found = not has_actors and context.clock.state.moved and find_moved(context.board, context.clock.state.moved, { old, new }) or {}
  local function let_in_at(i) return string.match(found[i] or '', '^in (%d+)$') or '0' end
  call('HSET', key, field, string.format('to %d %s', context.clock.now_ms, new), merging_field(new), list)
  call('HSET', key, since_field(old), let_in_at(1) .. ' ' .. let_in_at(2))
  call('HSET', key, progress_field(old), has_actors and 'actions 0' or 'boards 1')
  set_state(context.board, 'moved', stored)
  local curated = curated_key(context.board)
  local place = not has_actors and call('ZSCORE', curated, old)
  if place then
    if not call('ZSCORE', curated, new) then call('ZADD', curated, place, new) end
    call('ZREM', curated, old)
    context.is_changed = true
  end
  return true
end

-- end_alias: forgets how far making an item another one is: all of it is done.
local function end_alias(context, old, new)
  local call, key, others = redis.call, moved_key(context.board), {}
  for item in string.gmatch(call('HGET', key, merging_field(new)) or '', '[^\n]+') do
    if item ~= old then others[#others + 1] = item end
  end
  call('HDEL', key, progress_field(old), since_field(old))
  if #others > 0 then
    call('HSET', key, merging_field(new), table.concat(others, '\n'))
  elseif call('HDEL', key, merging_field(new)) == 1 then
    set_state(context.board, 'moved', moved_counts(context.clock.state.moved, 'merging', -1))
  end
end

-- bring_journal: lets some more of the journal tell of what an item became instead of it, so that a revocation finds it. What was undone is
-- noted anew as well. Answers the place to go on from, see find_noted; nil when none is left.
local function bring_journal(context, place, old, new)
  local call, undone, entries = redis.call, journal_undone_key(context.board), {}
  local function fits(noted) return noted.member == old or context.whats[noted.what] ~= nil end
  local found, next_place, rewritten = find_noted(context.board, 500, fits, place)
  rewrite_journal(context.board, rewritten)
  local since = read_since(context.board, old)
  for _, noted in ipairs(found) do
    local head, tail = string.match(noted.text, '^(' .. string.rep('[^,]*,', 8) .. ')[^,]+(,.*)$')
    local what = context.whats[noted.what] or noted.what
    local recorded = tonumber(noted.recorded)
    if noted.member == old then recorded = recorded_since(since, recorded) end
    if recorded then
      recorded = string.format('%d', recorded)
      entries[#entries + 1] = noted.member == old and new or noted.member
      entries[#entries + 1] = string.gsub(head, '^%d+', recorded) .. what .. tail
      if call('SISMEMBER', undone, undone_digest(noted.recorded, noted.sequence, noted.what, noted.who)) == 1 then
        call('SADD', undone, undone_digest(recorded, noted.sequence, what, noted.who))
      end
    end
  end
  if #entries > 0 then call('XADD', journal_key(context.board), '*', unpack(entries)) end
  return next_place
end

-- find_actions: looks through some more keys for what actors did to an item, and makes a batch that brings it over, see bring_over. Answers
-- the batch, and the cursor to go on from; "0" at the end.
local function find_actions(board, now_ms, alias, cursor)
  local call, EACH, fields, whats = redis.call, 500, {}, {}
  local batch = { names = {}, members = {}, deltas = {}, instants = {}, outcomes = {}, actions = {}, ids = {}, tracked = {}, times = {} }
  batch.items, batch.metas, batch.count, batch.brought, batch.has_tracked = {}, {}, 0, 0, true
  local since = read_since(board, alias.old)
  for i, action in ipairs(alias.actions) do
    whats[i] = what_of(action, alias.old)
    fields[3 * i - 2], fields[3 * i - 1], fields[3 * i] = whats[i], whats[i] .. '#', whats[i] .. '@'
  end
  local pattern, remaining, number_of = tracked_pattern(board), alias.entries, {}
  repeat
    local reply = call('SCAN', cursor, 'MATCH', pattern, 'COUNT', EACH)
    for _, key in ipairs(reply[2]) do
      local who = string.match(key, '^:tracked:%d+:(.*)$', #board + 1)
      local name, stored = alias.has_actors and string.sub(who, 7) or alias.new, call('HMGET', key, unpack(fields))
      for i, action in ipairs(alias.actions) do
        if stored[3 * i - 2] or stored[3 * i - 1] or stored[3 * i] then
          if not number_of[name] then
            number_of[name], batch.names[#batch.names + 1] = #batch.names + 1, name
          end
          local tracked = { what = what_of(action, alias.new), who = who, once = '-' }
          local brought = { was = whats[i], action = action, item = alias.new, at = now_ms, since = since }
          want_brought(batch, number_of[name], tracked, brought)
        end
      end
    end
    cursor, remaining = reply[1], remaining - EACH / 5 - 5 * #reply[2]
  until cursor == '0' or remaining <= 0 or batch.brought > 0
  return batch, cursor
end

-- go_on: does some more of what is left to make an item another one, and notes how far that is. Answers what is next; empty when nothing is
-- left. `actions` is the work of another script, see alias_actions.
local function go_on(context, old, new, actions)
  local call, key, field = redis.call, moved_key(context.board), progress_field(old)
  local phase, place = string.match(call('HGET', key, field) or '', '^(%a+) (.*)$')
  if not phase or phase == 'actions' then return phase or '' end
  context.whats = {}
  for _, action in ipairs(actions) do
    context.whats[what_of(action, old)] = what_of(action, new)
  end
  if phase == 'boards' then
    context.merged = {}
    place = drop_from_boards(context, place)
    roll_merged(context)
    if not place then
      phase, place = 'actions', '0'
    end
  elseif phase == 'marks' then
    place = bring_marks(context, place)
    if not place then
      phase, place = 'journal', journal_place(context.board, 0)
    end
  else
    place = bring_journal(context, place, old, new)
  end
  if place then
    call('HSET', key, field, phase .. ' ' .. place)
    return phase
  end
  end_alias(context, old, new)
  return ''
end
