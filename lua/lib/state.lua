-- state: what every call that counts asks Redis for first.

-- new_call: what is known of a call that counts one event. The first lines of `about` are the options and the rolling windows. Room is made for
-- what count_now adds, since tables grow by being copied: 16 fields are half as many bytes as 17.
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
    windows = false,
    said = false,
    known = '',
    text = '',
    put = false,
    lost = false,
    counted = nil,
    id_key = nil,
  }
end

-- ask_state: asks Redis for the time and for the state of a call's target. c then has, besides the arguments:
-- - now (seconds), now_ms, now_us (microseconds)
-- - windows: the rolling windows, each { name, unit, length }
-- - said: the values of the state's fields, or an error. First stand those that every call needs, in the order below. Then come two of
--   each window: how it is, and the made base boards of its unit; then, where there are options, the last sequence number; then `more`; at
--   last, where senders are bounded, who made new members, see read_newcomers
local function ask_state(c, more)
  local time, windows, at, last, sender = redis.call('TIME'), {}, 0, 11, c.sender
  local now, us = tonumber(time[1]), tonumber(time[2])
  c.now, c.now_ms, c.now_us, c.windows = now, now * 1000 + (us - us % 1000) / 1000, now * 1000000 + us, windows
  local turn, turned, parts = 'ids:' .. sender, 'turned:' .. sender, 'parts:' .. sender
  -- Room for a window and two more.
  local fields =
    { 'plan:' .. sender, 'layout', 'seen', 'generation', turn, turned, parts, 'indexes', 'counts', 'moved', 'resets', '', '', '', '' }
  local from, to, name, unit, length = string.find(c.rolling, '^%s*([^:%s]+):(%a):(%d+)')
  while from do
    at, last = at + 1, last + 2
    windows[at] = { name = name, unit = unit, length = tonumber(length) }
    fields[last - 1], fields[last] = 'window:' .. name, 'made:' .. unit
    from, to, name, unit, length = string.find(c.rolling, '^%s*([^:%s]+):(%a):(%d+)', to + 1)
  end
  if c.options then
    last = last + 1
    fields[last] = 'sequence'
  end
  for i = 1, #more do
    last = last + 1
    fields[last] = more[i]
  end
  if c.newcomers ~= '' then
    last = last + 1
    fields[last] = 'newcomers'
  end
  if c.stands then
    last = last + 1
    fields[last], c.stands.curated_at = 'curated', last
  end
  c.said = redis.pcall('HMGET', c.board .. ':state', unpack(fields, 1, last))
end

-- find_plan: what make_plan found for an event of now, as the state holds it: a list of texts; nil where that was for other arguments,
-- another state or another time. `about` are the arguments that a plan follows from, `at` is when the event was.
--
-- The text begins with the rest that it follows from, so nobody who changes the state needs to know of it. c.known is that part. Lua
-- hashes every byte of a text that it makes, so the arguments are a text of their own.
local function find_plan(c, about, at)
  local said, text, windows = c.said, c.said[1], ''
  for w = 1, #c.windows do
    windows = windows .. (said[10 + 2 * w] or '') .. '\n' .. (said[11 + 2 * w] or '') .. '\n'
  end
  local a, b, d, e = said[2] or '', said[3] or '', said[4] or '', said[5] or ''
  local f, g, h, i = said[6] or '', said[7] or '', said[8] or '', said[9] or ''
  local known = a .. '\n' .. b .. '\n' .. d .. '\n' .. e .. '\n' .. f .. '\n' .. g .. '\n' .. h .. '\n' .. i .. '\n' .. windows
  c.known, c.text = known, text
  local of = said[12 + 2 * #c.windows + (c.options and 1 or 0)]
  if of ~= about or not text or string.find(text, known, 1, true) ~= 1 then return nil end
  local plan = { string.match(text, '^(%d+) (%d+) (%d+) (%d*) (%d*) (%S*) (%d*) (%d*) (%d+)\n()', #known + 1) }
  return c.now >= tonumber(plan[1]) and c.now < tonumber(plan[2]) and at >= tonumber(plan[3]) and plan or nil
end
