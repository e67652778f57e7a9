-- packed: what calls say in one text of their targets, and of the windows that they read.

-- PACKED: the packed arguments of the last calls as tables, by their texts, `older` those of calls before. A library keeps them from call to call.
local PACKED = { latest = {}, older = {}, bytes = 0 }

-- read_indexes: which indexes a board has besides its scores, by an options argument.
local function read_indexes(text)
  local indexes = {}
  for word in string.gmatch(text, '%S+') do
    local entries, seconds = string.match(word, '^entries:(%d+):(%d+)$')
    if entries then
      indexes.entries, indexes.entries_for = tonumber(entries), tonumber(seconds)
    elseif word == 'first' or word == 'last' then
      indexes.ties = word
    elseif word == 'greatest' or word == 'least' or word == 'latest' then
      indexes.policy = word
    else
      indexes[word] = true
    end
  end
  return indexes
end

-- keep_packed: keeps packed arguments among the latest for recall_packed, and answers them. All that are kept take about 500 KB at most. They are a
-- metatable, too: what another table lacks is looked up in them.
local function keep_packed(about, args)
  if PACKED.bytes > 240000 then
    PACKED.older, PACKED.latest, PACKED.bytes = PACKED.latest, {}, 0
  end
  if not args.__index then
    args.indexes, args.__index = args.options and read_indexes(args.options), args
  end
  -- As measured.
  PACKED.latest[about], PACKED.bytes = args, PACKED.bytes + 1300 + 3 * #about
  return args
end

-- recall_packed: packed arguments as a table, by their text; nil where no call had them lately.
local function recall_packed(about)
  local args = PACKED.latest[about]
  if args then return args end
  args = PACKED.older[about]
  return args and keep_packed(about, args)
end
