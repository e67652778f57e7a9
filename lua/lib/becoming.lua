-- becoming: members that become others, as counting looks them up.

-- alias_field: the field of the hash of moved members that says what an item became. Where items are no members it begins with a byte that
-- no member has.
local function alias_field(item, has_actors) return has_actors and '\2' .. item or item end

-- merging_field: the field of the hash of moved members that lists, on lines, the items whose tracked actions are being made those of an
-- item.
local function merging_field(item) return '\1' .. item end

-- since_field: the field of the hash of moved members that tells since when what was done to an item counts, and what was done to the one
-- that it becomes: "1795176000000 0", the instants (milliseconds) at which they were let in again after a removal, see read_since.
local function since_field(item) return '\4' .. item end

-- follow_moved: what `find` answers of some names, see find_moved; of one that became another one, what it says of that. In the list such
-- names are replaced by what they became: "to 1795176000000 /new" is said of one. Answers as well whether there was any.
local function follow_moved(board, moved, names, find)
  local MOST_STEPS, found, slots, asked, is_any = 16, {}, {}, names, false
  for i = 1, #names do
    slots[i] = i
  end
  for _ = 1, MOST_STEPS do
    local stored, next_slots, next_asked = find(board, moved, asked), {}, {}
    for a = 1, #slots do
      local slot, becomes = slots[a], string.match(stored[a] or '', '^to %d+ (.+)$')
      found[slot] = not becomes and stored[a] or nil
      if becomes then
        names[slot], next_slots[#next_slots + 1], next_asked[#next_asked + 1], is_any = becomes, slot, becomes, true
      end
    end
    if #next_slots == 0 then break end
    slots, asked = next_slots, next_asked
  end
  return found, is_any
end

-- read_since: since when what was done to an item that is becoming another one counts, and what was done to that, in milliseconds. What was
-- recorded before is gone with a removal; 0 where there was none.
local function read_since(board, old)
  local since = redis.call('HGET', moved_key(board), since_field(old)) or ''
  local own, other = string.match(since, '^(%d+) (%d+)$')
  return { tonumber(own) or 0, tonumber(other) or 0 }
end

-- recorded_since: the instant (milliseconds) at which what was done to an item counts as recorded for the one that it becomes; nil where it
-- went with a removal. What was done before that one was let in again came to it since, see read_since.
local function recorded_since(since, recorded)
  if recorded <= since[1] then return nil end
  return math.max(recorded, since[2] + 1)
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
