-- revoking: what was counted of an actor, and is taken back.
-- @use batch, becoming, journal, removed, tracked_hashes, undoing, visitors, zones

-- still_counted: those of some noted events that still count: they were not undone, and their member was not removed from the board since.
-- Also those that were undone. What became another member counts for that.
local function still_counted(c, found)
  local digests, names, undone, moved, remaining, others = {}, {}, {}, {}, {}, {}
  for i, noted in ipairs(found) do
    digests[i], names[i] = undone_digest(noted.recorded, noted.sequence, noted.what, noted.who), noted.member
  end
  if #found > 0 then
    undone = redis.call('SMISMEMBER', journal_undone_key(c.board), unpack(digests))
    moved = c.moved and follow_moved(c.board, c.moved, names, find_moved) or {}
  end
  for i, noted in ipairs(found) do
    noted.member = names[i]
    local moved_at = moved[i] and tonumber(string.match(moved[i], '%d+$')) or -1
    if noted.verb == 'r' and undone[i] == 1 then
      others[#others + 1] = noted
    elseif tonumber(noted.recorded) > moved_at then
      remaining[#remaining + 1] = noted
    end
  end
  return remaining, others
end

-- revoke_noted: takes the next events of the journal back that are asked for, see find_noted, unless `is_dry`. Answers the script's reply, whose first text
-- is FOUND; or the one that refuses the call.
local function revoke_noted(c, entries, fits, place, is_dry)
  local found, next_place, rewritten = find_noted(c.board, entries, fits, place)
  local remaining, undone = still_counted(c, found)
  local reply = { 'FOUND', next_place or '', '', #remaining }
  for i, noted in ipairs(remaining) do
    reply[4 + i] = noted.member
  end
  if is_dry or #found == 0 then return reply end
  -- What was removed was left out already.
  c.moved = nil
  if #remaining > 0 then
    c.revokes, c.is_once_loaded = revoked_batch(remaining), true
    local counted = count_batch(c, {}, 1)
    if type(counted) ~= 'string' then return counted end
    set_state(c.board, 'curated', c.now_us)
  end
  for _, noted in ipairs(undone) do
    local key = tracked_key(c.board, (bucket_of(noted.recorded / 1000)), noted.who)
    local record = redis.call('HGET', key, noted.what)
    if record and string.match(record, '^undone,(%d+)') == noted.recorded then redis.call('HDEL', key, noted.what) end
  end
  rewrite_journal(c.board, rewritten)
  return reply
end

-- fits_revoked: a function that tells whether a noted event is of the span [from_ms, until_ms) and one of those asked for. `asked` holds
-- kinds and values in turn: "who" ("actor:u7"), "what" (a digest of action and item), "member", or "visitor" (a fingerprint, whose name
-- is another one on each day and goes with the salt).
local function fits_revoked(c, from_ms, until_ms, asked, first)
  local culprits, fingerprints, visitors_of = { who = {}, what = {}, member = {} }, {}, {}
  for i = first, #asked, 2 do
    if asked[i] == 'visitor' then
      fingerprints[#fingerprints + 1] = string.match(asked[i + 1], '^[^.]*')
    else
      culprits[asked[i]][asked[i + 1]] = true
    end
  end
  local function visitors_on(at)
    local day = local_time(c, at).day
    if not visitors_of[day] then
      local salt, names = redis.call('GET', salt_key(c.board, day)), {}
      for _, fingerprint in ipairs(salt and fingerprints or {}) do
        names['visitor:' .. visitor_name(salt, fingerprint)] = true
      end
      visitors_of[day] = names
    end
    return visitors_of[day]
  end
  return function(noted)
    if noted.at < from_ms or noted.at >= until_ms then return false end
    if culprits.who[noted.who] or culprits.what[noted.what] or culprits.member[noted.member] then return true end
    return #fingerprints > 0 and visitors_on(noted.at)[noted.who] or false
  end
end
