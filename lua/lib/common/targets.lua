-- targets: what calls say of their targets.

-- TARGETS: what the last calls said of their targets, by its text, `older` what calls before said. A library keeps it from call to call.
local TARGETS = { latest = {}, older = {}, bytes = 0 }

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

-- recall_target: what a call says of its target, by its text; nil where no call said that lately. It is a metatable, too: what another table lacks is
-- looked up in it.
local function recall_target(about)
  local target = TARGETS.latest[about]
  if target then return target end
  target = TARGETS.older[about]
  TARGETS.latest[about] = target
  return target
end

-- keep_target: keeps what a call says of its target for recall_target, and answers it. All that is kept takes about 500 KB at most.
local function keep_target(about, target)
  if TARGETS.bytes > 100000 then
    TARGETS.older, TARGETS.latest, TARGETS.bytes = TARGETS.latest, {}, 0
  end
  target.indexes, target.__index = read_indexes(target.options), target
  TARGETS.latest[about], TARGETS.bytes = target, TARGETS.bytes + #about
  return target
end
