-- read_indexes: which indexes a board has besides its scores, by an options argument; nil for none.
local function read_indexes(text)
  if text == '' then return nil end
  local options = {}
  for word in string.gmatch(text, '%S+') do
    local entries, seconds = string.match(word, '^entries:(%d+):(%d+)$')
    if entries then
      options.entries, options.entries_for = tonumber(entries), tonumber(seconds)
    elseif word == 'first' or word == 'last' then
      options.ties = word
    elseif word == 'greatest' or word == 'least' or word == 'latest' then
      options.policy = word
    else
      options[word] = true
    end
  end
  return options
end
