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
