-- read_options: what a board keeps beside its scores, of an options argument; nil for nothing.
local function read_options(text)
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
