-- packed: what calls say in one text of their targets, and of the windows that they read.

-- PACKED: the packed arguments of the last calls as tables, by their texts, `older` those of calls before. A library keeps them from call to call.
local PACKED = { latest = {}, older = {}, bytes = 0 }

-- read_indexes: which indexes a board has besides its scores, by an options argument.
local function read_indexes(text)
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

-- recall_packed: packed arguments as a table, by their text; nil where no call had them lately. It is a metatable, too: what another table lacks is
-- looked up in it.
local function recall_packed(about)
  local args = PACKED.latest[about]
  if args then return args end
  args = PACKED.older[about]
  PACKED.latest[about] = args
  return args
end

-- keep_packed: keeps packed arguments for recall_packed, and answers them. All that is kept takes about 500 KB at most.
local function keep_packed(about, args)
  if PACKED.bytes > 100000 then
    PACKED.older, PACKED.latest, PACKED.bytes = PACKED.latest, {}, 0
  end
  args.indexes, args.__index = args.options and read_indexes(args.options), args
  PACKED.latest[about], PACKED.bytes = args, PACKED.bytes + #about
  return args
end
