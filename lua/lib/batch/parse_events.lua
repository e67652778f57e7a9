-- parse_events: reads the events of a batch: members by their order of appearance, and for each event lists by its index. nil and a
-- reply where an argument is wrong.
--
-- texts holds five texts per event from `first` on: member, delta, when, id, tracked. Outcomes are c so far, f for the future and o for
-- what was before 1970. What comes now is right behind a reset over which the clock went back by a little. The batch `adds` when all its
-- events do; it `is_one` when none has an id of its own, or is of the future or before 1970.
local function parse_events(c, texts, first)
  local names, members, deltas, instants, outcomes, actions, ids = {}, {}, {}, {}, {}, {}, {}
  local batch = { names = names, members = members, deltas = deltas, instants = instants, outcomes = outcomes, actions = actions }
  local now_ms, number_of, e, adds, has_own, are_timely = c.now_ms, {}, 0, true, false, true
  local own_at = c.resets and c.reset_at > now_ms and c.reset_at <= now_ms + STEP_BACK_MS and c.reset_at + 1 or now_ms
  batch.ids, batch.tracked, batch.times, batch.items, batch.metas = ids, {}, {}, {}, {}
  for i = first, #texts, 5 do
    local name, delta, when, id, tracked = texts[i], tonumber(texts[i + 1]), texts[i + 2], texts[i + 3], texts[i + 4]
    local at = own_at
    if when ~= '' then
      local ago = tonumber(when)
      at = ago and now_ms - ago or tonumber(string.match(when, '^@(%d+)$')) or 0 / 0
    end
    if not delta or delta - delta ~= 0 or at ~= at then
      return nil, redis.error_reply('UNTOUCHED ERR an event has no finite delta or no instant: ' .. texts[i + 1] .. ' ' .. when)
    end
    local member = number_of[name]
    if not member then
      member = #names + 1
      names[member], number_of[name] = name, member
    end
    e = e + 1
    members[e], deltas[e], instants[e], ids[e] = member, delta, at, id
    outcomes[e] = at > own_at and 'f' or at < 0 and 'o' or 'c'
    if outcomes[e] ~= 'c' then are_timely = false end
    if delta <= 0 then adds = false end
    if id ~= '' and string.byte(id) ~= 47 then has_own = true end
    if string.byte(tracked) == 61 then
      batch.metas[e] = string.sub(tracked, 2)
    elseif string.find(tracked, '^[^\n]*:') then
      if not parse_tracked(c, batch, e, tracked) then
        return nil, redis.error_reply('UNTOUCHED ERR a tracked action is not "action:verb:once:what:who", or it has no salt: ' .. tracked)
      end
    elseif tracked ~= '' then
      actions[e], batch.times[e], batch.items[e] = action_and_times(tracked)
    end
  end
  batch.count, batch.adds, batch.is_one = e, adds and not batch.has_tracked, are_timely and not has_own
  return batch
end
