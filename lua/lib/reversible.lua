-- reversible: records of actions that can be undone, and their sequence numbers.
-- @use decay, hashes, tracked_hashes

-- event_sequence: the sequence number of an event of the batch. Where no order of ties is kept, a journal only tells the events of one call
-- apart.
local function event_sequence(c, e)
  if c.first_sequence then return c.first_sequence + e end
  return c.journal and e or 0
end

-- put_delta_and_times: the text that delta_and_times reads.
local function put_delta_and_times(delta, times) return times == 1 and text_of(delta) or string.format('%s*%d', text_of(delta), times) end

-- recorded_windows: what the record of a tracked action, or the journal, tells of what counted it besides units: + where its counts by action
-- were kept, else -; then words, " hot:1f0c s=1795176000 o=d ": the decaying windows, the season, and the unit in which it counts once.
local function recorded_windows(c, words)
  local sign = c.indexes.actions and '+' or '-'
  return words == ' ' and sign or sign .. words
end

-- sequences_before: the sequence numbers that a tracked action's member had before it, by unit, as one word: "hd12m7". Most units have the
-- same number as the one before, so that is written once, after its units.
local function sequences_before(c, tracked)
  local before, all = tracked.before, c.units
  if not before or not next(before) then return '' end
  local words, units, latest = '', '', 0
  for i = 1, #all do
    local unit = string.sub(all, i, i)
    local sequence = before[unit] or 0
    if sequence ~= latest then
      if latest ~= 0 then words = words .. units .. text_of(latest) end
      units, latest = '', sequence
    end
    units = units .. unit
  end
  return latest ~= 0 and words .. units .. text_of(latest) or words
end

-- want_seq: lets the seq and the order of what was applied of a tracked action be read with its record.
local function want_seq(c, tracked)
  for _, bucket in ipairs(tracked_buckets(c, 1, SEQ_KEPT)) do
    local hash = hash_of(c.hashes, tracked_key(c.board, bucket, tracked.who))
    if tracked.seq then want_field(hash, tracked.what .. '#') end
    if tracked.order then want_order(hash, tracked.what) end
    want_field(hash, tracked.what)
  end
end

-- last_order: the last order of a text of add_order.
local function last_order(applied) return tonumber(string.match(applied, '(%d+)%a$')) end

-- add_order: the orders that were applied of an action, with their outcomes: "1795176000000123c 1795176000000456u". The last one counts. Those
-- of a minute before it tell what became of an event when it comes once more at once, up to 32.
local function add_order(applied, order, outcome)
  local MOST, KEPT_US, orders = 32, 60 * 1000000, {}
  for before in string.gmatch(applied or '', '%S+') do
    if last_order(before) >= order - KEPT_US then orders[#orders + 1] = before end
  end
  orders[#orders + 1] = order .. outcome
  return table.concat(orders, ' ', math.max(1, #orders - MOST + 1))
end

-- answered_before: what became of a tracked action that was applied before, or after which another one was, or its actor was erased: the outcome as a
-- capital letter, D where that is not known. Else nil. The order of what was applied last is a field beside the record, like its seq, see add_order.
local function answered_before(c, tracked)
  local order, latest, all = tonumber(tracked.order), -1, nil
  for _, bucket in ipairs(tracked_buckets(c, 1, SEQ_KEPT)) do
    local hash = hash_of(c.hashes, tracked_key(c.board, bucket, tracked.who))
    local applied, erased = get_field(hash, tracked.what .. '@'), get_field(hash, ERASED)
    if erased and tonumber(erased) >= order then return 'D' end
    local of = applied and last_order(applied) or -1
    if of > latest then
      latest, all = of, applied
    end
  end
  if latest < order then return nil end
  return string.upper(string.match(' ' .. all, ' ' .. tracked.order .. '(%a)') or 'D')
end

-- is_superseded: whether a tracked action that carries a seq is no newer than what was applied. The seq of what was applied is a field of
-- its own beside the record, in the bucket in which it was applied: so it outlives an undo. A clock that was set back may have left
-- one in a later bucket, so the greatest of all buckets counts.
local function is_superseded(c, tracked)
  for _, bucket in ipairs(tracked_buckets(c, 1, SEQ_KEPT)) do
    local applied = get_field(hash_of(c.hashes, tracked_key(c.board, bucket, tracked.who)), tracked.what .. '#')
    if applied and tonumber(applied) >= tonumber(tracked.seq) then return true end
  end
  return false
end

-- recorded_at: the instant (milliseconds) at which an entry is recorded: now, but behind the last removal of its member, and behind what was recorded
-- of the same action since that. Where the clock went back a little since, or does so later, their order is still known by their instants. See
-- moved_until.
local function recorded_at(c, entry, who)
  local tracked, moved_at = entry.tracked, c.moved_at and c.moved_at[entry.member]
  if not moved_at then return c.now_ms end
  if not tracked.recorded_at then
    local record = tracked.verb == 'r' and find_tracked(c, who, tracked.what, 1)
    local before = tonumber(record and string.match(record, '^%a+,(%d+)') or 0)
    tracked.recorded_at = math.max(c.now_ms, moved_at + 1, before > moved_at and before + 1 or 0)
  end
  return tracked.recorded_at
end

-- instants_of: when an entry is recorded, and when it happened, as a record tells them.
local function instants_of(c, entry, who)
  local recorded = recorded_at(c, entry, who)
  -- The instant of now is there as a text, with microseconds.
  local text = recorded == c.now_ms and c.instant and string.sub(c.instant, 1, -4) or string.format('%d', recorded)
  return text .. ',' .. (entry.at == recorded and text or string.format('%d', entry.at))
end

-- usual_windows: the words behind others that a record tells of an action of now which every window took, see recorded_windows. c.full_fades are the decaying
-- windows that did not, by their names.
local function usual_windows(c, words)
  if string.find(c.units, 's', 1, true) then words = string.format('%ss=%d ', words, (season_at(c.zone, c.now))) end
  local decaying, full = c.decaying, c.full_fades
  if decaying == '' then return words end
  for _, window in ipairs(read_decaying(decaying)) do
    if not (full and full[window.name]) then words = words .. window.mark .. ' ' end
  end
  return words
end

-- remember_tracked: the record of a reversible action that was counted: when it was recorded and happened, what it added and how often it happened,
-- the units that took it, see also recorded_windows, its sequence number and those of the member before it, by units; in the activity log also its
-- action and item, each on a line.
local function remember_tracked(c, entry, who)
  local tracked, added = entry.tracked, put_delta_and_times(entry.delta, entry.times)
  local hash, ends_at, later = hash_of_now(c, who)
  local windows, sequence = recorded_windows(c, tracked.took_windows), text_of(event_sequence(c, entry.event))
  for i = 1, later and #later or 0 do
    put_field(later[i], tracked.what, false)
  end
  local record = 'done,' .. instants_of(c, entry, who) .. ',' .. added .. ',' .. tracked.took .. ',' .. windows .. ',' .. sequence .. ','
  record = record .. sequences_before(c, tracked) .. (tracked.item and '\n' .. entry.action .. '\n' .. tracked.item or '')
  set_field(hash, tracked.what, record)
  keep_until(hash, ends_at + 2 * c.actor_history)
end
