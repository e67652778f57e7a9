-- brought: what is done again for the member that another one became.
-- @use becoming, entries, hashes, once, reversible, tracked_hashes, undoing, undone, visitors

-- bring_order: makes the order of what was applied, a field of a hash, that of another field, unless that has a later one.
local function bring_order(hash, was, becomes)
  local order, other = get_field(hash, was), get_field(hash, becomes)
  if not order then return end
  if not other or last_order(other) < last_order(order) then put_field(hash, becomes, order) end
  put_field(hash, was, false)
end

-- bring_mark: lets what an event's sender did once in a period count as done to what its item became, in tables.
local function bring_mark(c, tracked)
  if not tracked.at or tracked.once == '-' then return end
  local who = name_visitor(c, tracked, tracked.at)
  local function mark_of(what) return once_mark(c, { once = tracked.once, what = what }, tracked.at, who) end
  local set, digest = mark_of(tracked.what)
  if not (set and set.has[digest]) then return end
  local _, becomes = mark_of(tracked.becomes)
  set.has[digest] = false
  set.has[becomes] = true
end

-- bring_over: makes what an actor did to an item that became another one what it did to that, in tables: its record, its seq, its order and its mark
-- of what counts once. What stands for both is one action: the later one is taken back, as an undo would.
local function bring_over(c, entry)
  local tracked = entry.tracked
  local was, becomes = tracked.what, tracked.becomes
  bring_mark(c, tracked)
  if string.sub(tracked.who, 1, 6) ~= 'actor:' then return end
  local old, old_hash = find_tracked(c, tracked.who, was, 2)
  local new, new_hash = find_tracked(c, tracked.who, becomes, 2)
  local function recorded(record) return tonumber(string.match(record, '^%a+,(%d+)')) end
  local function stands(record) return record and string.sub(record, 1, 5) == 'done,' end
  local counts_as = old and recorded_since(tracked.since, recorded(old))
  if not counts_as then old = nil end
  local is_new_dropped = new and recorded(new) <= tracked.since[2]
  local keeps_old = old and (not new or is_new_dropped or stands(old))
  if stands(old) and stands(new) and not is_new_dropped then
    keeps_old = recorded(old) < recorded(new)
    tracked.what = keeps_old and becomes or was
    if not find_done(c, entry) then
      want_done(c, entry)
      count_entry(c, entry)
      c.batch.took_back = true
      if c.journal then note_undone(c, tracked) end
    end
  end
  for _, bucket in ipairs(tracked_buckets(c, 2, SEQ_KEPT)) do
    local hash = hash_of(c.hashes, tracked_key(c.board, bucket, tracked.who))
    local seq, other = get_field(hash, was .. '#'), get_field(hash, becomes .. '#')
    if seq then
      put_field(hash, becomes .. '#', string.format('%d', math.max(seq, other or 0)))
      put_field(hash, was .. '#', false)
    end
    bring_order(hash, was .. '@', becomes .. '@')
    if get_field(hash, was) then put_field(hash, was, false) end
  end
  if not keeps_old then return end
  if new then put_field(new_hash, becomes, false) end
  if c.indexes['activity-log'] then old = string.gsub(old, '\n[^\n]*$', function() return '\n' .. tracked.item end) end
  put_field(old_hash, becomes, (string.gsub(old, '^(%a+),%d+', string.format('%%1,%d', counts_as))))
end
