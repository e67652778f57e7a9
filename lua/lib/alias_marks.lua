-- alias_marks: what is marked of a member that becomes another one: ids, actions that can be undone, and what counts once.
-- @use erasure_tracked, once, visitors

-- mark_keys: the keys of the sets of what counts once in a period, as once_keys lists them, and of those of visitors, which are kept for a
-- day.
local function mark_keys(context)
  local keys, day = once_keys(context), context.clock.day
  for i = 1, #keys do
    for of = day - 2, day + 1 do
      keys[#keys + 1] = once_visitors_key(keys[i], of)
    end
  end
  return keys
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

-- bring_marks: lets a part of what was done once in a period to an item count as done to what it became. A mark is a digest of who did it,
-- and what. Answers the place to go on from: the set's number among mark_keys, and where the scan of it is; nil when none is left.
--
-- A cursor of SSCAN means nothing to another process, so with one the scan of that set begins anew.
local function bring_marks(context, place)
  local WHO, call, keys = 16, redis.call, mark_keys(context)
  local at, cursor, run = string.match(place, '^(%d+) (%d+) ?(%w*)$')
  at = tonumber(at)
  if cursor ~= '0' and run ~= run_id() then cursor = '0' end
  while context.remaining > 0 and at <= #keys do
    local reply, come, dropped = call('SSCAN', keys[at], cursor, 'COUNT', 500), {}, {}
    for _, mark in ipairs(reply[2]) do
      local becomes = context.whats[string.sub(mark, WHO + 1)]
      if becomes then
        dropped[#dropped + 1], come[#come + 1] = mark, string.sub(mark, 1, WHO) .. becomes
      end
    end
    -- A set that is emptied first would lose its expiry.
    if #come > 0 then
      call('SADD', keys[at], unpack(come))
      call('SREM', keys[at], unpack(dropped))
    end
    cursor, context.remaining = reply[1], context.remaining - #reply[2] - 5
    if cursor == '0' then at = at + 1 end
  end
  if at > #keys then return nil end
  return at .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end

-- want_brought: lets what an event's actor did to an item that became another one be made what it did to that, before the batch's events are
-- counted. It is an event of the batch behind those that were sent.
local function want_brought(batch, member, tracked, brought)
  batch.brought = (batch.brought or 0) + 1
  local e = batch.count + batch.brought
  batch.members[e], batch.deltas[e], batch.instants[e], batch.times[e] = member, 0, brought.at, 1
  batch.actions[e] = brought.action
  batch.tracked[e] = {
    verb = 'u',
    undoes = true,
    what = brought.was,
    becomes = tracked.what,
    who = tracked.who,
    once = tracked.once,
    item = brought.item,
    at = brought.at,
    since = brought.since,
  }
end

-- tracked_items: the items of a batch's tracked events, by their numbers, as they were sent.
local function tracked_items(c)
  local batch, items = c.batch, {}
  for e = 1, batch.count do
    local tracked = batch.tracked[e]
    if tracked then items[e] = tracked.of_item or batch.names[batch.members[e]] end
  end
  return items
end

-- what_of: what an action on an item is known by, as the worker names it (`what` in crates/engine/src/store/record.rs).
local function what_of(action, item)
  local ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  local digest, letters = redis.sha1hex(action .. '\0' .. item), {}
  for i = 1, 11 do
    local at = tonumber(string.sub(digest, 2 * i - 1, 2 * i), 16) % 64 + 1
    letters[i] = string.sub(ALPHABET, at, at)
  end
  return table.concat(letters)
end
