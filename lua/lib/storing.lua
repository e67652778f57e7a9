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
  local words = { recorded_at(c, entry, who), entry.at, added, tracked.took, recorded_windows(c, tracked), entry.action or '' }
  local what = { tracked.verb, tracked.once, tracked.what, event_sequence(c, entry.event), sequences_before(c, tracked), who }
  c.noted = c.noted or {}
  c.noted[#c.noted + 1] = entry.name
  c.noted[#c.noted + 1] = string.format('%d,%d,%s,%s,%s,%s,', unpack(words)) .. string.format('%s,%s,%s,%d,%s,%s', unpack(what))
end

-- store_hash: writes what changed in a hash, with a command for the fields that it has and one for those that left, and gives it its
-- expiry: that of a board's counts by action is its board's.
local function store_hash(c, hash)
  if not hash.changed then return end
  local set, del, expiry = {}, {}, hash.lives_until
  local period = hash.board_key and c.periods[hash.board_key]
  if hash.board_key and not hash.was['\0'] then
    set[1], set[2] = '\0', '1'
    expiry = period and expires_at(c, period.unit, period.number) or not period and fading_expiry(c, hash.key)
  end
  for field in pairs(hash.changed) do
    local was, value = hash.was[field], hash.values[field]
    if value and value ~= was then
      set[#set + 1], set[#set + 2] = field, value
    elseif was and not value then
      del[#del + 1] = field
    end
  end
  -- A key that is emptied first would lose its expiry.
  if set[1] then redis.call('HSET', hash.key, unpack(set)) end
  if del[1] then redis.call('HDEL', hash.key, unpack(del)) end
  if expiry then redis.call('EXPIREAT', hash.key, text_of(expiry)) end
end

-- store_marks: writes the hashes and the marks of what counts once that were changed in tables, and the journal.
local function store_marks(c)
  for _, hash in ipairs(c.hashes) do
    store_hash(c, hash)
    c.is_begun = true
  end
  if c.once_sets then
    for _, set in pairs(c.once_sets) do
      store_once(c, set)
    end
  end
  if c.journal then store_journal(c) end
end
