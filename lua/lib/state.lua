-- state: what every call that counts asks Redis for first.

-- new_call: what is known of a call that counts one event. The first lines of `about` are the options and the rolling windows. Room is made for
-- what count_now adds, since tables grow by being copied.
local function new_call(board, sender, newcomers, about)
  local to = string.find(about, '\n', 1, true)
  return {
    board = board,
    sender = sender,
    newcomers = newcomers,
    options = to > 1 and string.sub(about, 1, to - 1) or nil,
    rolling = string.sub(about, to + 1, string.find(about, '\n', to + 1, true) - 1),
    now = 0,
    now_ms = 0,
    now_us = 0,
    plan_field = '',
    windows = false,
    said = false,
    known = '',
    text = '',
    put = false,
    lost = false,
    sums = nil,
    counted = nil,
    id_key = nil,
  }
end

-- ask_state: asks Redis for the time and for the state of a call's target. c then has, besides the arguments:
-- - now (seconds), now_ms, now_us (microseconds)
-- - windows: the rolling windows, each { name, unit, length }
-- - said: the values of the state's fields, or an error. First stand those that every call needs, in the order below. Then come two of
--   each window: how it is, and the made base boards of its unit; then what an event of now does not need; at last, where senders are
--   bounded, who made new members, see read_newcomers
-- - plan_field: the field of the state that holds the plan of the class of senders, see find_plan
local function ask_state(c)
  local time, windows, at, sender = redis.call('TIME'), {}, 0, c.sender
  local now, us = tonumber(time[1]), tonumber(time[2])
  c.now, c.now_ms, c.now_us = now, now * 1000 + (us - us % 1000) / 1000, now * 1000000 + us
  c.plan_field, c.windows = 'plan:' .. sender, windows
  local turn, turned, parts = 'ids:' .. sender, 'turned:' .. sender, 'parts:' .. sender
  local fields = { c.plan_field, 'layout', 'seen', 'generation', turn, turned, parts, 'indexes', 'counts', 'moved' }
  local from, to, name, unit, length = string.find(c.rolling, '^%s*([^:%s]+):(%a):(%d+)')
  while from do
    at = at + 1
    windows[at] = { name = name, unit = unit, length = tonumber(length) }
    fields[9 + 2 * at], fields[10 + 2 * at] = 'window:' .. name, 'made:' .. unit
    from, to, name, unit, length = string.find(c.rolling, '^%s*([^:%s]+):(%a):(%d+)', to + 1)
  end
  for _, field in ipairs(c.options and { 'sequence', 'past', 'buckets', 'journal' } or {}) do
    fields[#fields + 1] = field
  end
  if c.newcomers ~= '' then fields[#fields + 1] = 'newcomers' end
  c.said = redis.pcall('HMGET', c.board .. ':state', unpack(fields))
end
