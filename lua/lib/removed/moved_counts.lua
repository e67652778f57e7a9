-- moved_counts: the state's `moved` with a field more, or so many, of a length of prefixes, see find_moved; nil where that is one length
-- too many. Besides lengths it counts `items`, those that became others where items are no members, and `merging`, those into which others are
-- being made.
local function moved_counts(text, of, more)
  local MOST_LENGTHS, words, lengths, is_there = 9, {}, 0, false
  of = tostring(of)
  for word, count in string.gmatch(text or '', '(%w+)=(%d+)') do
    if word == of then
      is_there, count = true, count + (more or 1)
    end
    if tonumber(count) > 0 then
      words[#words + 1] = string.format('%s=%d', word, count)
      if tonumber(word) then lengths = lengths + 1 end
    end
  end
  if not is_there then
    words[#words + 1] = string.format('%s=%d', of, more or 1)
    if tonumber(of) then lengths = lengths + 1 end
  end
  return lengths <= MOST_LENGTHS and table.concat(words, ' ') or nil
end
