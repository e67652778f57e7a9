-- bring_journal: lets some more of the journal tell of what an item became instead of it, so that a revocation finds it. What was undone is
-- noted anew as well. Answers the place to go on from, see find_noted; nil when none is left.
local function bring_journal(c, place, old, new)
  local call, undone, entries = redis.call, journal_undone_key(c.board), {}
  local function fits(noted) return noted.member == old or c.whats[noted.what] ~= nil end
  local found, next_place = find_noted(c, { entries = 500, fits = fits }, place)
  rewrite_journal(c)
  local since = read_since(c, old)
  for _, noted in ipairs(found) do
    local head, tail = string.match(noted.text, '^(' .. string.rep('[^,]*,', 8) .. ')[^,]+(,.*)$')
    local what = c.whats[noted.what] or noted.what
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
  if #entries > 0 then call('XADD', journal_key(c.board), '*', unpack(entries)) end
  return next_place
end
