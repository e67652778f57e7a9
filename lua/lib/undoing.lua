-- undoing: what an undo needs to know, and notes.
-- @use decay, hashes, once, records, reversible, tracked_hashes

-- delta_and_times: what was added, and how often the action happened, as a record or the journal tells them: "2" or "6*3".
local function delta_and_times(text)
  if not string.find(text, '*', 1, true) then return read_number(text), 1 end
  local delta, times = string.match(text, '^([^*]*)%*(%d+)$')
  return tonumber(delta or text), tonumber(times or 1)
end

-- is_recorded: whether a period counted the tracked action that is undone, by its record.
local function is_recorded(tracked, period)
  if not string.find(tracked.units, period.unit, 1, true) then return false end
  return period.unit ~= 's' or not tracked.season or tracked.season == period.number
end

-- other_window: a decaying window of another configuration, by its mark in a record, see read_decaying; nil where the state does not know it.
local function other_window(c, mark)
  c.other_windows = c.other_windows or decaying_windows(c, c.others or '')
  for _, window in ipairs(c.other_windows) do
    if window.mark == mark then return window end
  end
end

-- read_before: the sequence numbers in a word of sequences_before, by unit.
local function read_before(word)
  local before = {}
  for units, sequence in string.gmatch(word, '(%a+)(%d+)') do
    for unit in string.gmatch(units, '%a') do
      before[unit] = tonumber(sequence)
    end
  end
  return before
end

-- undone_digest: names an action that was done and undone: when it was recorded (milliseconds), its sequence number, what and by whom.
local function undone_digest(recorded, sequence, what, who)
  return string.sub(redis.sha1hex(table.concat({ recorded, string.format('%d', sequence), what, who }, ' ')), 1, 20)
end

-- want_undone: lets the hashes of undone actions be read once for all units of an undo, see sequence_without.
local function want_undone(c, tracked)
  for _, bucket in ipairs(tracked_buckets(c, 1)) do
    local hash = hash_of(c.hashes, undone_key(c.board, bucket))
    for unit, earlier in pairs(tracked.before) do
      want_field(hash, text_of(earlier) .. unit)
    end
  end
end

-- find_done: finds what an undo takes away, as its record tells. Answers the outcome of an undo that changes nothing: n it was not done, u it was
-- undone before, l it was done too long ago, p something newer was applied; or that of answered_before.
local function find_done(c, entry)
  -- An action that was reported later than that (milliseconds) cannot be undone, see want_tracked.
  local LATEST, tracked = 366 * 86400 * 1000, entry.tracked
  local answer = tracked.order and answered_before(c, tracked)
  if answer then return answer end
  if tracked.seq and is_superseded(c, tracked) then return 'p' end
  local record, hash, valid = find_tracked(c, tracked.who, tracked.what, 2)
  if not record or is_moved_since(c, entry, record) then
    local set, digest = once_mark(c, { once = tracked.once == 'a' and 'a' or '-', what = tracked.what }, 0, tracked.who)
    return set and set.has[digest] and 'l' or 'n'
  end
  local state, recorded, at, counted, took, took_windows, sequence, before, names =
    string.match(record, '^(%a+),(%d+),?(%d*),?([^,\n]*),?(%a*),?([^,\n]*),?(%d*),?([^,\n]*)(.*)$')
  if state == 'undone' then return 'u' end
  local done_at = tonumber(at)
  if not valid or recorded - done_at > LATEST then return 'l' end
  tracked.units, tracked.windows, tracked.sequence, tracked.before = took, took_windows, tonumber(sequence), read_before(before)
  -- What was undone is still told with its instant, where it has names.
  tracked.record = { hash = hash, recorded = recorded, names = names ~= '' and ',' .. at .. names or '' }
  local delta, times = delta_and_times(counted)
  tracked.done_at, entry.at, entry.delta, entry.times, entry.undoes = done_at, done_at, -delta, times, true
  tracked.once = string.match(took_windows, ' o=(%a) ') or tracked.once
end

-- note_undone: lets store_journal note that an action was undone: it is not to be taken back once more.
local function note_undone(c, tracked)
  c.noted_undone = c.noted_undone or {}
  c.noted_undone[#c.noted_undone + 1] = undone_digest(tracked.record.recorded, tracked.sequence, tracked.what, tracked.who)
end

-- mark_undone: notes that a tracked action was undone, in tables: its record, that it may count once more, and what the journal is to know. Answers
-- its outcome.
local function mark_undone(c, entry, outcome)
  local tracked, record = entry.tracked, entry.tracked.record
  set_field(record.hash, tracked.what, 'undone,' .. record.recorded .. record.names)
  local set, digest = once_mark(c, tracked, tracked.done_at, tracked.who)
  if set and set.has[digest] then set.has[digest] = false end
  if c.journal then note_undone(c, tracked) end
  return apply_seq(c, tracked, outcome)
end
