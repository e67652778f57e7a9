-- moved: what a batch counts for a member that became another one.
-- @use becoming, removed

-- find_items: what is said of some items on a target whose members they are not, see find_moved.
local function find_items(board, _, items)
  local fields = {}
  for i = 1, #items do
    fields[i] = alias_field(items[i], true)
  end
  return redis.call('HMGET', moved_key(board), unpack(fields))
end

-- tracked_items: the items of a batch's tracked events, by their numbers, as they were sent.
local function tracked_items(batch)
  local items = {}
  for e = 1, batch.count do
    local tracked = batch.tracked[e]
    if tracked then items[e] = tracked.of_item or batch.names[batch.members[e]] end
  end
  return items
end

-- join_members: lets the events of members of one name be of the first of them.
local function join_members(batch)
  local first, joined = {}, {}
  for i, name in ipairs(batch.names) do
    first[name] = first[name] or i
    joined[i] = first[name]
  end
  for e = 1, batch.count do
    batch.members[e] = joined[batch.members[e]]
  end
end

-- follow_tracked: lets the tracked events of items that became others be known by these. Where what was done to an item that became
-- another one is not all known by that yet, what the event's actor did is brought over first, see bring_over.
local function follow_tracked(board, moved, batch, items)
  local names, numbers = {}, {}
  for e = 1, batch.count do
    if items[e] then
      names[#names + 1], numbers[#numbers + 1] = items[e], e
    end
  end
  if string.find(moved, 'items=', 1, true) then follow_moved(board, moved, names, find_items) end
  for n, e in ipairs(numbers) do
    if not batch.tracked[e].of_item then names[n] = batch.names[batch.members[e]] end
  end
  local merging = {}
  if #names > 0 and string.find(moved, 'merging=', 1, true) then
    local fields = {}
    for n = 1, #names do
      fields[n] = merging_field(names[n])
    end
    merging = redis.call('HMGET', moved_key(board), unpack(fields))
  end
  for n, e in ipairs(numbers) do
    local tracked, action = batch.tracked[e], batch.actions[e]
    if names[n] ~= items[e] then
      tracked.what = what_of(action, names[n])
      if tracked.item then
        tracked.item, batch.items[e] = names[n], batch.items[e] and names[n]
      end
    end
    for old in string.gmatch(tracked.verb ~= 'n' and merging[n] or '', '[^\n]+') do
      want_brought(
        batch,
        batch.members[e],
        tracked,
        { was = what_of(action, old), action = action, item = names[n], at = batch.instants[e], since = read_since(board, old) }
      )
    end
  end
end

-- read_moved: reads what is said of a batch's members that were removed from the board, and lets the events of those that became others count for
-- these. Answers that by the members' numbers.
local function read_moved(board, moved, batch)
  local items = tracked_items(batch)
  local found, is_any = follow_moved(board, moved, batch.names, find_moved)
  if is_any then join_members(batch) end
  if batch.has_tracked then follow_tracked(board, moved, batch, items) end
  return found
end
