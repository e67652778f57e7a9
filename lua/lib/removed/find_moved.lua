-- find_moved: what is said of some members that were removed from a board, as a list: "off 1795176000000" (milliseconds) of one that is
-- kept off since then, "in …" of one that was let in again, "to … /new" of one that became another one. The field of a prefix begins with "\0". c.moved is the state's field: how many
-- fields there are by the length of the prefix, 0 for whole ids: "0=12 6=1". So a batch costs one command.
local function find_moved(c, names)
  local fields, slots, found = {}, {}, {}
  for length in string.gmatch(c.moved, '(%d+)=') do
    length = tonumber(length)
    for i = 1, #names do
      if #names[i] >= length then
        fields[#fields + 1] = length == 0 and names[i] or '\0' .. string.sub(names[i], 1, length)
        slots[#slots + 1] = i
      end
    end
  end
  local values = #fields > 0 and redis.call('HMGET', moved_key(c.board), unpack(fields)) or {}
  for f = 1, #fields do
    local value, before = values[f], found[slots[f]]
    -- What became another one counts for that. Kept off by one of them is kept off; let in by several counts from the last time on.
    if value and (not before or value > before) then found[slots[f]] = value end
  end
  return found
end
