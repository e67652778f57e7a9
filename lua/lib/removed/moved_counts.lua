-- moved_counts: the state's `moved` with a field more of a length of prefixes, see find_moved; nil where that is one length too many.
local function moved_counts(text, length)
  local MOST_LENGTHS, words, is_there = 9, {}, false
  for of, count in string.gmatch(text or '', '(%d+)=(%d+)') do
    if tonumber(of) == length then
      is_there, count = true, count + 1
    end
    words[#words + 1] = string.format('%s=%d', of, count)
  end
  if not is_there then words[#words + 1] = string.format('%d=1', length) end
  return #words <= MOST_LENGTHS and table.concat(words, ' ') or nil
end
