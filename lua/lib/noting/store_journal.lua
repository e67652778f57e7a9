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
    call('HSET', state_key(c.board), 'journal', string.format('%s %d', since, lives_until))
  end
end
