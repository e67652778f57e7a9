-- note_stand: what the state is to note where a call counts that asks for standings, as fields and values: the list of who is curated, see find_curated,
-- and `stood`, their scores on the window that it asks for. That begins with the instant of the last change by hand and the board's key, in a line each. A
-- line for each of them follows: the name, a tab and the score, empty of who is not there.
--
-- It is right until a counting script changes the score of one of them: see forget_stood. Other scripts that change scores move that instant, or empty it. So
-- plans of events of now tell who they are. Those that do not, or tell of others, are dropped with the write.
local function note_stand(c)
  local MOST = 4096 -- bytes
  local stands, fields, stood = c.stands, c.new_listed and { 'listed', c.new_listed } or {}, ''
  local curated, names = stands.curated, c.batch.names
  local function note(field, value)
    fields[#fields + 1], fields[#fields + 2] = field, value
  end
  if c.indexes and c.indexes.policy then return fields end
  find_scores(c)
  local is_theirs = false
  for i = 1, c.boards and #names or 0 do
    is_theirs = is_theirs or curated.is_moved[names[i]]
  end
  for _, member in ipairs(is_theirs and {} or curated.members) do
    local score = curated.scores[member] or 0
    stood = stood .. member .. '\t' .. (score ~= 0 and string.format('%.17g', score) or '') .. '\n'
  end
  if stood ~= '' then stood = stands.head .. stood end
  if is_theirs then stood = (forget_stood(c.stood, names) or { '', '' })[2] end
  if #stood > MOST then stood = '' end
  if stood == c.stood then return fields end
  note('stood', stood)
  if stood ~= '' and stood_names(stood) ~= stood_names(c.stood) then
    c.new_plan = nil
    for _, sender in ipairs({ 'browser', 'server', 'queue' }) do
      note('boards:' .. sender, '')
    end
  end
  return fields
end
