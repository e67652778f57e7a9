-- storing: writing the hashes, marks and journal of a batch.
-- @use fading_boards, once, reversible, zones

-- store_journal: writes what a call counted into the journal of its target, with one command, and drops what is older than the journal
-- reaches. The state says since when (seconds) everything is in the journal, and until when the journal lives.
local function store_journal(c)
  local call, key, undone = redis.call, journal_key(c.board), journal_undone_key(c.board)
  local since, lives_until = string.match(c.kept_journal or '', '^(%d+) (%d+)$')
  if c.noted then call('XADD', key, 'MINID', '~', c.now_ms - c.journal * 1000, '*', unpack(c.noted)) end
  if c.noted_undone then
    call('SADD', undone, unpack(c.noted_undone))
    call('EXPIREAT', undone, c.now + 2 * c.journal)
  end
  -- The expiry is put off now and then, not with every call.
  if c.noted and tonumber(lives_until) < c.now + c.journal then
    lives_until = math.ceil(c.now + 1.25 * c.journal)
    call('EXPIREAT', key, lives_until)
    set_state(c.board, 'journal', string.format('%s %d', since, lives_until))
  end
end

-- note_done: lets store_journal note what an entry counted: by its member, what is needed to take it back, see parse_noted.
local function note_done(c, entry, who)
  local tracked, added = entry.tracked, put_delta_and_times(entry.delta, entry.times)
  local words = { recorded_at(c, entry, who), entry.at, added, tracked.took, recorded_windows(c, tracked.took_windows), entry.action or '' }
  local what = { tracked.verb, tracked.once, tracked.what, event_sequence(c, entry.event), sequences_before(c, tracked), who }
  c.noted = c.noted or {}
  c.noted[#c.noted + 1] = entry.name
  c.noted[#c.noted + 1] = string.format('%d,%d,%s,%s,%s,%s,', unpack(words)) .. string.format('%s,%s,%s,%d,%s,%s', unpack(what))
end

-- store_hash: writes what changed in a hash, with a command for the fields that it has and one for those that left, and gives it its
-- expiry: that of a board's counts by action is its board's.
local function store_hash(c, hash)
  if not hash.values then return end
  local set, count, del, expiry = { nil, nil, nil, nil }, 0, nil, hash.lives_until
  local period = hash.board_key and c.periods[hash.board_key]
  if hash.board_key and not hash.was['\0'] then
    set[1], set[2], count = '\0', '1', 2
    expiry = period and expires_at(c, period.unit, period.number) or not period and fading_expiry(c, hash.key)
  end
  for field, value in pairs(hash.values) do
    local was = hash.was[field]
    if value and value ~= was then
      set[count + 1], set[count + 2], count = field, value, count + 2
    elseif was and not value then
      del = del or {}
      del[#del + 1] = field
    end
  end
  -- A key that is emptied first would lose its expiry.
  if count > 0 then redis.call('HSET', hash.key, unpack(set, 1, count)) end
  if del then redis.call('HDEL', hash.key, unpack(del)) end
  if expiry then redis.call('EXPIREAT', hash.key, text_of(expiry)) end
end

-- store_marks: writes the hashes and the marks of what counts once that were changed in tables, and the journal.
local function store_marks(c)
  local hashes = c.hashes
  for i = 1, #hashes do
    store_hash(c, hashes[i])
    c.is_begun = true
  end
  if c.once_sets then
    for _, set in pairs(c.once_sets) do
      store_once(c, set)
    end
  end
  if c.journal then store_journal(c) end
end
