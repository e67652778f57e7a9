-- read_head: the first members of the board that find_window found, in the order of `ties` where that is kept. `is_unsure` tells
-- that it is not kept although the board wants it. `as_texts`: see read_order.
local function read_head(found, ties, depth, as_texts)
  if not found.key then return { members = {}, scores = {} } end
  local index, is_doubtful
  if ties ~= '' then
    index, is_doubtful = kept_index(found, found.key, ties)
  end
  local head = index and read_order(index, 0, depth - 1, true)
  if head and #head.members > 0 and not is_doubtful then return head end
  local plain = read_order(found.key, 0, depth - 1, false, as_texts)
  local is_right = head and #head.members == #plain.members
  for i = 1, is_right and #plain.members or 0 do
    is_right = is_right and head.scores[i] == tonumber(plain.scores[i])
  end
  if is_right then return head end
  plain.is_unsure = ties ~= ''
  return plain
end
