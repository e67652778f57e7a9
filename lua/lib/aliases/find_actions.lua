-- find_actions: looks through some more keys for what actors did to an item, and makes a batch that brings it over, see bring_over. Answers
-- the batch, and the cursor to go on from; "0" at the end.
local function find_actions(c, of, cursor)
  local call, EACH, fields, whats = redis.call, 500, {}, {}
  local batch = { names = {}, members = {}, deltas = {}, instants = {}, outcomes = {}, actions = {}, ids = {}, tracked = {}, times = {} }
  batch.items, batch.metas, batch.count, batch.brought, batch.has_tracked = {}, {}, 0, 0, true
  local since = read_since(c, of.old)
  for i, action in ipairs(of.actions) do
    whats[i] = what_of(action, of.old)
    fields[2 * i - 1], fields[2 * i] = whats[i], whats[i] .. '#'
  end
  local pattern, left, number_of = string.gsub(c.board, '[%*%?%[%]%\\]', '\\%0') .. ':tracked:*:actor:*', of.entries, {}
  repeat
    local reply = call('SCAN', cursor, 'MATCH', pattern, 'COUNT', EACH)
    for _, key in ipairs(reply[2]) do
      local who = string.match(key, '^:tracked:%d+:(.*)$', #c.board + 1)
      local name, said = of.has_actors and string.sub(who, 7) or of.new, call('HMGET', key, unpack(fields))
      for i, action in ipairs(of.actions) do
        if said[2 * i - 1] or said[2 * i] then
          if not number_of[name] then
            number_of[name], batch.names[#batch.names + 1] = #batch.names + 1, name
          end
          local tracked = { what = what_of(action, of.new), who = who, once = '-' }
          local own = { was = whats[i], action = action, item = of.new, at = c.now_ms, since = since }
          want_brought(batch, number_of[name], tracked, own)
        end
      end
    end
    cursor, left = reply[1], left - EACH / 5 - 5 * #reply[2]
  until cursor == '0' or left <= 0 or batch.brought > 0
  return batch, cursor
end
