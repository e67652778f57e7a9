-- read_indexes: which indexes a board has besides its scores, by an options argument; nil for none.
local function read_indexes(text)
  if text == '' then return nil end
  local options = {}
  for word in string.gmatch(text, '%S+') do
    if word == 'first' or word == 'last' then
      options.ties = word
    else
      options[word] = true
    end
  end
  return options
end
