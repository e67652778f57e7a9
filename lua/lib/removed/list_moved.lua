-- list_moved: the reply that lists a part of who is kept off a board. The cursor of a scan means nothing to another server: there, some
-- may come twice or be missed. Since when they are is told by moved_until.
local function list_moved(board, size, cursor)
  local scanned = redis.call('HSCAN', moved_key(board), cursor, 'COUNT', 1000)
  local fields, reply = scanned[2], { 'OK', size, scanned[1] ~= '0' and scanned[1] or '' }
  for i = 1, #fields, 2 do
    local since_ms = string.match(fields[i + 1], '^off (%d+)$')
    if since_ms then
      local is_prefix = string.byte(fields[i], 1) == 0
      reply[#reply + 1] = is_prefix and 1 or 0
      reply[#reply + 1] = is_prefix and string.sub(fields[i], 2) or fields[i]
      reply[#reply + 1] = math.max(0, since_ms - STEP_BACK_MS)
    end
  end
  return reply
end
