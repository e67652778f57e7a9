-- records: the record of an action that can be undone.
-- @use hashes, once, reversible, storing, tracked_hashes, visitors

-- action_and_times: an action, how often it happened, nil where that is once, and its item, if it is told: "view", "view*3" or "view\nitem".
local function action_and_times(text)
  if not string.find(text, '*', 1, true) and not string.find(text, '\n', 1, true) then return text end
  local action, times, item = string.match(text, '^([^*\n]*)%*?(%d*)\n?(.*)$')
  return action, tonumber(times), item ~= '' and item or nil
end

-- remember_seq: lets the seq of a tracked action be remembered, in tables, and answers its outcome: k where it changed nothing because all is
-- as it says. What comes later with an older seq is superseded all the same.
local function remember_seq(c, tracked, outcome)
  if not string.find('csnulb', outcome, 1, true) then return outcome end
  local hash, ends_at = hash_of_now(c, tracked.who)
  put_field(hash, tracked.what .. '#', tracked.seq)
  keep_until(hash, ends_at + math.max(2 * c.actor_history, SEQ_KEPT))
  return string.find('clb', outcome, 1, true) and outcome or 'k'
end

-- apply_seq: lets the seq of a tracked action be remembered, see remember_seq, and its outcome beside its order, see answered_before. What is
-- refused may come again. Answers the outcome.
local function apply_seq(c, tracked, outcome)
  if tracked.seq then outcome = remember_seq(c, tracked, outcome) end
  if not tracked.order or not string.find('csnulbpk', outcome, 1, true) then return outcome end
  local hash, ends_at = hash_of_now(c, tracked.who)
  put_field(hash, tracked.what .. '@', add_order(get_field(hash, tracked.what .. '@'), tracked.order, outcome))
  keep_until(hash, ends_at + math.max(2 * c.actor_history, SEQ_KEPT))
  return outcome
end

-- is_moved_since: whether the member of an entry was removed from the board after its tracked action was recorded: what that counted is
-- gone.
local function is_moved_since(c, entry, record)
  local moved_at = c.moved_at and c.moved_at[entry.member]
  return moved_at and tonumber(string.match(record, '^%a+,(%d+)')) <= moved_at
end

-- find_undone: whether a tracked action may count: the outcome p when something newer was applied, s when it was done before, r when no
-- more may be remembered as done, v when too many visitors of its address or of a network of that came before, or that of answered_before. Else nil; what mark_done needs is noted of
-- the action: who does it, the mark of what counts once and its set, see once_mark, and the visitor's place, see visitor_place.
local function find_undone(c, entry)
  local tracked, at = entry.tracked, entry.at
  local answer = tracked.order and answered_before(c, tracked)
  if answer then return answer end
  if tracked.seq and is_superseded(c, tracked) then return 'p' end
  local who, is_visitor = tracked.who, tracked.is_visitor
  if is_visitor then who = name_visitor(c, tracked, at) end
  if tracked.verb == 'r' then
    local record, _, valid = find_tracked(c, who, tracked.what, 1)
    local stands = record and valid and string.sub(record, 1, 5) == 'done,'
    if stands and not is_moved_since(c, entry, record) then return 's' end
  end
  tracked.doer = who
  if tracked.once == '-' then return nil end
  local set, digest = once_mark(c, tracked, at, who)
  if not set then return nil end
  if set.has[digest] then return 's' end
  if set.is_full then return 'r' end
  local place = is_visitor and visitor_place(c, tracked, at)
  if place and not get_field(place.hash, place.who) and is_crowded(c, place) then return 'v' end
  tracked.set, tracked.digest, tracked.place = set, digest, place
  return nil
end

-- mark_done: notes that a tracked action counted, in tables: that it counts no more in its period, the place of its visitor, its record, and what the
-- journal tells, see find_undone. Answers its outcome.
local function mark_done(c, entry)
  local tracked = entry.tracked
  if tracked.set then tracked.set.has[tracked.digest] = true end
  if tracked.place then take_visitor_place(c, tracked.place) end
  if tracked.verb == 'r' then remember_tracked(c, entry, tracked.doer) end
  if c.journal then note_done(c, entry, tracked.doer) end
  return (tracked.seq or tracked.order) and apply_seq(c, tracked, 'c') or 'c'
end

-- read_tracked: what makes an event tracked, of its texts from that of its verb, see record_tracked; nil where that is wrong.
local function read_tracked(c, texts, at)
  local verb, seq, order, once, what, who, item = unpack(texts, at, at + 6)
  local is_visitor = string.byte(who) == 118
  if
    not string.find(verb .. once, '^[orun][-' .. once_units() .. ']$')
    or not string.find(who, '^%a+:.')
    or string.find(seq .. order, '%D')
  then
    return nil
  end
  if is_visitor and (c.new_salt == '' or not string.find(who, '.', 1, true)) then return nil end
  return {
    verb = verb,
    seq = seq ~= '' and seq,
    order = order ~= '' and order,
    once = once,
    what = what,
    who = who,
    -- The log tells what it was.
    item = c.indexes['activity-log'] and item ~= '' and item,
    of_item = item ~= '' and item,
    undoes = verb == 'u',
    is_visitor = is_visitor,
  }
end
