-- parse_tracked: reads the action of a tracked event, and what makes it tracked, see record_tracked; false where it is wrong.
local function parse_tracked(c, batch, e, text)
  local action, verb, seq, once, what, who, item = string.match(text, '^([^:]*):([orun])(%d*):([-hdwmya]):([%w_-]+):(%a+:[^\n]+)\n?(.*)$')
  if not action then return false end
  if string.sub(who, 1, 8) == 'visitor:' and (c.new_salt == '' or not string.find(who, '.', 1, true)) then return false end
  batch.actions[e], batch.times[e] = action_and_times(action)
  batch.tracked[e] = {
    verb = verb,
    seq = seq ~= '' and seq,
    once = once,
    what = what,
    who = who,
    -- The log tells what it was.
    item = c.indexes['activity-log'] and item ~= '' and item,
    of_item = item ~= '' and item,
    undoes = verb == 'u',
  }
  batch.has_tracked = true
  -- Others have records of their own.
  if verb == 'o' or verb == 'n' then batch.items[e] = batch.tracked[e].item or nil end
  return true
end
