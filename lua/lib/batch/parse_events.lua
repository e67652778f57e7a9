-- parse_events: the events of a batch as lists, by the event's index; nil and a reply where an argument is wrong. texts are the
-- arguments from the first event on. `outcomes` are c so far, f for the future and o for what was before 1970.
local function parse_events(texts, first, fields, now_ms, new_salt)
  local batch = { count = 0, members = {}, deltas = {}, instants = {}, outcomes = {}, actions = {}, tracked = {}, ids = {}, done_at = {} }
  local function wrong(what, said) return nil, redis.error_reply('ERR record: ' .. what .. ': ' .. said) end
  for i = first, #texts, fields do
    local delta, when, id, tracked = tonumber(texts[i + 1]), texts[i + 2], texts[i + 3], texts[i + 4]
    local at = now_ms
    if when ~= '' then
      local ago = tonumber(when)
      at = ago and now_ms - ago or tonumber(string.match(when, '^@(%d+)$')) or 0 / 0
    end
    if not delta or delta - delta ~= 0 or at ~= at then
      return wrong('an event has no finite delta or no instant', texts[i + 1] .. ' ' .. when)
    end
    local e = batch.count + 1
    batch.count, batch.members[e], batch.deltas[e], batch.instants[e], batch.ids[e] = e, texts[i], delta, at, id
    batch.outcomes[e] = at > now_ms and 'f' or at < 0 and 'o' or 'c'
    if tracked ~= '' and string.find(tracked, ':', 1, true) then
      local action, verb, once, what, who = string.match(tracked, '^([^:]*):([oru]):([-hdwmya]):([%w_-]+):(%a+:.+)$')
      if not action or (string.sub(who, 1, 8) == 'visitor:' and new_salt == '') then
        return wrong('a tracked action is not "action:verb:once:what:who", or it has no salt', tracked)
      end
      batch.actions[e] = action
      batch.tracked[e] = { verb = verb, once = once, what = what, who = who }
    elseif tracked ~= '' then
      batch.actions[e] = tracked
    end
  end
  return batch
end
