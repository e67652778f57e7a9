-- journal: what each call counted, and taking it back.
-- @use undoing

-- journal_place: where to begin to look through the journal for what happened since an instant (milliseconds); nil where it is empty. What
-- is written meanwhile lies behind its end.
local function journal_place(board, from_ms)
  local last = redis.call('XREVRANGE', journal_key(board), '+', '-', 'COUNT', 1)[1]
  return last and string.format('%.0f %s', math.max(0, from_ms), last[1])
end

-- parse_noted: what store_journal noted of an event, as a table; nil for what is no such text.
local function parse_noted(member, text)
  local recorded, at, delta, units, windows, action, verb, once, what, sequence, before, who =
    string.match(text, '^(%d+),(%d+),([^,]+),(%a*),([^,]*),([^,]*),(%a),([-%a]),([^,]+),(%d+),([^,]*),(.*)$')
  if not recorded then return nil end
  local added, times = delta_and_times(delta)
  return {
    member = member,
    text = text,
    recorded = recorded,
    at = tonumber(at),
    delta = added,
    times = times,
    units = units,
    windows = windows,
    action = action,
    verb = verb,
    once = once,
    what = what,
    sequence = tonumber(sequence),
    before = before,
    who = who,
  }
end

-- revoked_batch: a batch, as parse_events makes it, that takes noted events back: each as an undo of what it counted.
local function revoked_batch(found)
  local batch = { names = {}, members = {}, deltas = {}, instants = {}, outcomes = {}, actions = {}, ids = {}, tracked = {}, times = {} }
  batch.metas = {}
  local number_of = {}
  for e, noted in ipairs(found) do
    local member = number_of[noted.member]
    if not member then
      member = #batch.names + 1
      batch.names[member], number_of[noted.member] = noted.member, member
    end
    batch.members[e], batch.deltas[e], batch.instants[e] = member, -noted.delta, noted.at
    batch.outcomes[e], batch.actions[e], batch.ids[e], batch.times[e] = 'c', noted.action, '', noted.times
    noted.done_at, noted.undoes, noted.before = noted.at, true, read_before(noted.before)
    batch.tracked[e] = noted
  end
  batch.count, batch.adds, batch.is_one = #found, false, false
  return batch
end

-- rewrite_journal: takes events that find_noted found out of the journal. The rest of their entries is written anew, at its end: entries cannot be
-- changed.
local function rewrite_journal(board, rewritten)
  for _, entry in ipairs(rewritten) do
    redis.call('XDEL', journal_key(board), entry[1])
    if #entry[2] > 0 then redis.call('XADD', journal_key(board), '*', unpack(entry[2])) end
  end
end

-- find_noted: the next events of the journal that `fits` answers true of. Looks at some more entries, about so many. Answers as well the place to go on
-- from, "from last", nil at the end; and for rewrite_journal the entries in which events were found, each as { id, what else is in it }.
local function find_noted(board, entries, fits, place)
  local call, key, found, rewritten, looked, EACH = redis.call, journal_key(board), {}, {}, 0, 20
  local from, last = string.match(place, '^(%S+) (%S+)$')
  while looked < entries do
    local page = call('XRANGE', key, from, last, 'COUNT', EACH)
    for _, entry in ipairs(page) do
      local rest, has_any = {}, false
      for i = 1, #entry[2], 2 do
        local noted = parse_noted(entry[2][i], entry[2][i + 1])
        if noted and fits(noted) then
          has_any, found[#found + 1] = true, noted
        else
          rest[#rest + 1], rest[#rest + 2] = entry[2][i], entry[2][i + 1]
        end
      end
      if has_any then rewritten[#rewritten + 1] = { entry[1], rest } end
      looked, from = looked + #entry[2] / 2, '(' .. entry[1]
    end
    if #page < EACH then return found, nil, rewritten end
  end
  return found, from .. ' ' .. last, rewritten
end

-- scrub_journal: forgets in some more of the journal who did what the actor that is erased did; on a target of actors, that it was done.
-- Answers the place to go on from, see find_noted; nil when none is left.
local function scrub_journal(context, place)
  local who = 'actor:' .. context.actor
  local function fits(noted) return noted.who == who end
  local found, next_place, rewritten = find_noted(context.board, 500, fits, place)
  rewrite_journal(context.board, rewritten)
  local noted = {}
  for i = 1, context.has_actors and 0 or #found do
    local text = found[i].text
    noted[#noted + 1], noted[#noted + 2] = found[i].member, string.sub(text, 1, #text - #who) .. 'nobody:-'
  end
  if #noted > 0 then redis.call('XADD', journal_key(context.board), '*', unpack(noted)) end
  return next_place
end
