-- follow_tracked: lets the tracked events of items that became others be known by these. Where what was done to an item that became
-- another one is not all known by that yet, what the event's actor did is brought over first, see bring_over.
local function follow_tracked(c, items)
  local batch, names, numbers = c.batch, {}, {}
  for e = 1, batch.count do
    if items[e] then
      names[#names + 1], numbers[#numbers + 1] = items[e], e
    end
  end
  if string.find(c.moved, 'items=', 1, true) then follow_moved(c, names, find_items) end
  for n, e in ipairs(numbers) do
    if not batch.tracked[e].of_item then names[n] = batch.names[batch.members[e]] end
  end
  local merging = {}
  if #names > 0 and string.find(c.moved, 'merging=', 1, true) then
    local fields = {}
    for n = 1, #names do
      fields[n] = merging_field(names[n])
    end
    merging = redis.call('HMGET', moved_key(c.board), unpack(fields))
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
        { was = what_of(action, old), action = action, item = names[n], at = batch.instants[e], since = read_since(c, old) }
      )
    end
  end
end
