-- state: what every call that counts asks Redis for first.

-- ask_state: asks Redis for the time and for the state of a call's target. The rolling windows are listed in a text from a place on, and `more`
-- fields are asked for as well; nil for those of the plan, see make_plan. Answers
-- - the time, as TIME does
-- - the values of the state's fields, or an error. First stand those that every call needs, in the order below. Then come two of each
--   rolling window: how it is, and the made base boards of its unit; then, where there are options, the last sequence number; then `more`; at
--   last, where senders are bounded, who made new members, see read_newcomers
-- - the place of the last of the windows' fields, and of the last of all
local function ask_state(board, sender, rolling, at, has_options, newcomers, more)
  local time, find, last = redis.call('TIME'), string.find, 10
  local ids, turned, parts, arguments, boards = 'ids:browser', 'turned:browser', 'parts:browser', 'arguments:browser', 'boards:browser'
  -- The names of the usual class need not be made.
  if sender ~= 'browser' then
    ids, turned, parts, arguments, boards =
      'ids:' .. sender, 'turned:' .. sender, 'parts:' .. sender, 'arguments:' .. sender, 'boards:' .. sender
  end
  -- Room for a window and what a single event asks for.
  local fields = { 'layout', 'seen', 'generation', ids, turned, parts, 'indexes', 'counts', 'moved', 'resets', '', '', '', '', '' }
  local from, to, name, unit = find(rolling, '^ ?([^: \n]+):(%a):%d+', at)
  while from do
    last = last + 2
    fields[last - 1], fields[last] = 'window:' .. name, 'made:' .. unit
    from, to, name, unit = find(rolling, '^ ([^: \n]+):(%a):%d+', to + 1)
  end
  local last_window = last
  if has_options then
    last = last + 1
    fields[last] = 'sequence'
  end
  if not more then
    last = last + 2
    fields[last - 1], fields[last] = arguments, boards
  end
  for i = 1, more and #more or 0 do
    last = last + 1
    fields[last] = more[i]
  end
  if newcomers ~= '' then
    last = last + 1
    fields[last] = 'newcomers'
  end
  return time, redis.pcall('HMGET', board .. ':state', unpack(fields, 1, last)), last_window, last
end

-- find_plan: what make_plan found for an event of now, `at` milliseconds, as the state holds it, and what it follows from besides the arguments
-- `about`. After that comes the plan; whether it holds is the third answer: not for other arguments, another state or another time. `last` is
-- the place of the last field that it follows from, and `held` that of the text, before which its arguments stand.
--
-- The text begins with what it follows from, so nobody who changes the state needs to know of it. Lua hashes every byte of a text that it
-- makes, so the arguments are a text of their own.
local function find_plan(said, last, held, about, now, at)
  local text, n, window, made, ending, more = said[held], '\n', '', '', '', ''
  if last > 10 then
    window, made, ending = said[11] or '', said[12] or '', n
  end
  for i = 13, last do
    more = more .. (said[i] or '') .. n
  end
  local a, b, d, e = said[1] or '', said[2] or '', said[3] or '', said[4] or ''
  local f, g, h, i = said[5] or '', said[6] or '', said[7] or '', said[8] or ''
  -- One expression makes one text, however many it joins.
  local known = a .. n .. b .. n .. d .. n .. e .. n .. f .. n .. g .. n .. h .. n .. i .. n .. window .. ending .. made .. ending .. more
  if said[held - 1] ~= about or not text or string.find(text, known, 1, true) ~= 1 then return text, known, false end
  local from = #known
  -- These texts are read as numbers.
  return text, known, at - string.sub(text, from + 1, from + 13) >= 0 and now - string.sub(text, from + 14, from + 23) < 0
end
