-- parse_events: reads the events of a batch: members by their order of appearance, and for each event lists by its index. nil and a
-- reply where an argument is wrong.
--
-- texts holds five texts per event from `first` on: member, delta, when, id, tracked. An id that begins with a space is the event's
-- own, see known_ids. Outcomes are c so far, f for the future and o for what was before 1970.
local function parse_events(c, texts, first)
  local batch = { count = 0, names = {}, members = {}, deltas = {}, instants = {}, outcomes = {}, actions = {}, tracked = {}, ids = {} }
  local now_ms, number_of, names, is_plain = c.now_ms, {}, batch.names, true
  local function wrong(what, said) return nil, untouched('ERR ' .. what .. ': ' .. said) end
  for i = first, #texts, 5 do
    local name, delta, when, tracked = texts[i], tonumber(texts[i + 1]), texts[i + 2], texts[i + 4]
    local at = now_ms
    if when ~= '' then
      local ago = tonumber(when)
      at = ago and now_ms - ago or tonumber(string.match(when, '^@(%d+)$')) or 0 / 0
    end
    if not delta or delta - delta ~= 0 or at ~= at then
      return wrong('an event has no finite delta or no instant', texts[i + 1] .. ' ' .. when)
    end
    local member = number_of[name]
    if not member then
      member = #names + 1
      names[member], number_of[name] = name, member
    end
    local e = batch.count + 1
    batch.count, batch.members[e], batch.deltas[e], batch.instants[e], batch.ids[e] = e, member, delta, at, texts[i + 3]
    batch.outcomes[e] = at > now_ms and 'f' or at < 0 and 'o' or 'c'
    is_plain = is_plain and delta > 0
    if tracked ~= '' and not parse_tracked(c, batch, e, tracked) then
      return wrong('a tracked action is not "action:verb:once:what:who", or it has no salt', tracked)
    end
    if batch.tracked[e] then is_plain = false end
  end
  -- Events of one member may be merged where their order does not matter.
  batch.is_plain = is_plain
  return batch
end
