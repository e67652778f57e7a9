-- forget_stood: what the state is to note where the scores of some members change, or all may have (nil), as fields and values: that its `stood`, see
-- note_stand, is right no more, if one of them is in it. Else nil. Who is in it is kept, since plans are made for that.
local function forget_stood(stood, names)
  local is_theirs = not names
  for i = 1, names and #names or 0 do
    is_theirs = is_theirs or string.find(stood, '\n' .. names[i] .. '\t', 1, true)
  end
  return is_theirs and { 'stood', '\n\n' .. stood_names(stood) } or nil
end
