-- planning: planning what an event of now is counted on.
-- @use behind, clock

-- settle_indexes: the generation of a target's indexes. Indexes that were kept for a part of the time only are never whole: other
-- options begin new ones, under names of their own. The state says "generation:options".
local function settle_indexes(c)
  local generation, options = string.match(c.kept_indexes or '', '^(%d+):(.*)$')
  local kept = {}
  for _, index in ipairs({ 'first', 'last', 'dense' }) do
    if c.indexes[index] or c.indexes.ties == index then kept[#kept + 1] = index end
  end
  local text = table.concat(kept, ' ')
  c.index_generation, c.has_indexes = generation or '0', #kept > 0
  if not generation and text ~= '' or generation and options ~= text then
    c.index_generation = generation and string.format('%d', generation + 1) or '0'
    c.new_indexes = string.format('%s:%s', c.index_generation, text)
  end
  if c.indexes.ties then c.first_sequence = tonumber(c.sequence or 0) end
end

-- plan_fading: plans the board of a half-life, where that is a target's one decaying window and its events of now count on no other board
-- than that of the landmark, see decay. Else there is more to do, if anything decays. Answers the lines of the board's key, and of the landmark
-- and the life; empty where nothing is planned.
local function plan_fading(c, plan)
  local name, life = string.match(c.decaying, '^%s*([^:%s]+):half%-life:%-:(%d+):0$')
  if not name then return '' end
  local span = 512 * life
  local number = math.floor(c.now_ms / span)
  local from_ms, until_ms = number * span + STEP_BACK_MS, (number + 1) * span - span / 8
  -- Events of now are at most an hour old.
  if c.now_ms < from_ms or c.now_ms >= until_ms or span / 8 < 3600000 or #life > 15 then return '' end
  plan.since, plan.till = math.max(plan.since, from_ms), math.min(plan.till, math.floor(until_ms / 1000))
  plan.has_more = false
  return string.format('%s\n%015.0f%015.0f', window_key(c.board, name, number), number * span, life)
end

-- plan_indexed: plans the boards of an event of now where there are indexes, or on the activity log, see make_plan. nil where such an event takes more
-- than index_now does, and where a window is not as the state says. Else a line for a half-life, which is empty.
local function plan_indexed(c, plan)
  settle_indexes(c)
  local indexes, boards = c.indexes, plan.boards
  local policy = indexes.policy
  if c.new_indexes then return nil end
  local fading = plan_fading(c, plan)
  if c.decaying ~= '' and (indexes.ties or indexes.dense) then return nil end
  -- More is changed with such a value.
  if policy and (indexes.actions or c.decaying ~= '') then return nil end
  plan.policy = policy
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    boards[i] = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
    if indexes.actions and not redis.call('HGET', actions_key(boards[i]), '\0') then return nil end
  end
  for _, window in ipairs(c.windows) do
    local current = period_number(window.unit, c, c.week_starts_on)
    if window.stored ~= 'broken' then
      local key, leaving = window_key(c.board, window.name, current), current - window.length + 1
      local is_leaving = string.find(window.made, ' ' .. leaving .. ' ', 1, true)
      if string.sub(window.stored, 1, 6) ~= 'whole ' or string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then return nil end
      if not redis.call('ZSCORE', key, whole_mark(c.generation)) then return nil end
      if is_leaving and not redis.call('ZSCORE', period_key(c.board, window.unit, leaving), '\0') then return nil end
      boards[#boards + 1], boards[#boards + 2] = key, window_key(c.board, window.name, current + 1)
      plan.rolled = plan.rolled + 2
    end
  end
  plan.ending = indexes.ties and index_key('', indexes.ties, c.index_generation) or ''
  if indexes.dense then plan.ending = plan.ending .. ' ' .. c.index_generation end
  plan.has_actions, plan.has_scores = indexes.actions or false, not indexes['activity-log']
  return fading
end

-- plan_boards: plans the boards of an event of now where there are no indexes, the longest periods first, see make_plan. Rolling windows are
-- planned where all of them are whole. Answers the lines of a half-life.
local function plan_boards(c, plan)
  local boards, fading, are_whole = plan.boards, plan_fading(c, plan), true
  for i = #c.units, 1, -1 do
    local unit = string.sub(c.units, i, i)
    boards[#boards + 1] = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
  end
  for _, window in ipairs(c.windows) do
    are_whole = are_whole and string.sub(window.stored, 1, 6) == 'whole '
  end
  for _, window in ipairs(are_whole and c.windows or {}) do
    local current = period_number(window.unit, c, c.week_starts_on)
    boards[#boards + 1], boards[#boards + 2] = window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1)
    plan.rolled = plan.rolled + 2
  end
  plan.has_more = plan.has_more or not are_whole
  return fading
end

-- plan_marks: the lines of what notes whose totals changed, see mark_changed: for each unit the key, and what stands before the member there.
local function plan_marks(c)
  local lines = {}
  for unit in string.gmatch(c.changed, '.') do
    local _, key, prefix = unpack(mark_changed(c.board, unit, period_number(unit, c, c.week_starts_on), { '' }))
    lines[#lines + 1], lines[#lines + 2] = key, prefix
  end
  return lines
end

-- mark_totals_now: notes that the totals of a member change, before they do, so that they are handed on. c.marked is what was not noted before, for unmark: a full board
-- may refuse any number of members.
local function mark_totals_now(c, member)
  local marks, marked = c.plan.marks, {}
  for i = 1, #marks, 2 do
    local mark = marks[i + 1] .. member
    if redis.call('SADD', marks[i], mark) == 1 then
      marked[#marked + 1], marked[#marked + 2] = marks[i], mark
    end
  end
  c.marked = marked
end

-- make_plan: what an event of now is counted on, for count_now and index_now; false where it is not counted so. c.plan is what find_plan
-- answers, and c.new_plan are the fields of the state that hold it and the arguments `about`.
--
-- A plan is lines. The first one is the latest hour and day that the state saw. In the second one stand, in places of their own: since when it holds
-- for events (milliseconds, 13 digits), and until when for the clock (seconds, ten digits); 1 where a member is to be looked at, since it may not
-- count, see refuses, or 0; how many boards of periods are added to, and how many of rolling windows (a character each, 0 and those behind it); and
-- 1 or 0, for yes and no: whether there is more to do; whether actions are counted; whether there are scores. Then the policy of values, g, l or t
-- for greatest, least or latest, or 0; and how many units have totals.
--
-- Then come lines: the sets of ids of before and of now, empty where an id needs more than these; the end of the names of orders of ties, and,
-- behind a space, the generation of distinct scores, if either is kept; the boards of the periods; of each rolling window its board and the next
-- one; and the board of a half-life, whose landmark and life (milliseconds, 15 digits each) follow in a line. Then come two lines for each unit that
-- has totals, see plan_marks. The last line tells whether members were removed, see find_moved.
local function make_plan(c, about)
  local is_known = c.options or not c.kept_indexes or string.sub(c.kept_indexes, -1) == ':'
  if not (c.is_usual and is_known) or c.is_between or c.begun and archives_now(c) then return false end
  local now, offset, grain_remaining = c.now, c.stable_offset, c.finest and c.finest - c.now % c.finest or math.huge
  local hour_remaining, day_remaining = 3600 - (now + offset) % 3600, 86400 - (now + offset - c.day_starts_at) % 86400
  local plan = {
    since = c.same_from,
    till = math.min(c.stable_until, now + hour_remaining, now + day_remaining, now + grain_remaining, c.season_until or math.huge),
    ids = '\n\n',
    ending = '',
    boards = {},
    rolled = 0,
    has_more = c.decaying ~= '',
    has_actions = false,
    has_scores = true,
  }
  if c.id_turn and not c.has_parts then
    -- A clock that went back before the turn, in its hour, leaves ids known for longer.
    plan.till = math.min(plan.till, c.ids_turned_at + c.replay_window)
    plan.ids = ids_key(c.board, c.sender, c.id_turn - 1) .. '\n' .. ids_key(c.board, c.sender, c.id_turn) .. '\n'
  end
  local fading = (c.options and plan_indexed or plan_boards)(c, plan)
  if not fading or plan.since < 0 or plan.till >= 1e10 or #plan.boards > 64 then return false end
  local function flag(is_so) return is_so and '1' or '0' end
  local is_filtered = flag(c.moved or c.known_for ~= '0')
  local marks, policy = plan_marks(c), plan.policy == 'latest' and 't' or plan.policy and string.sub(plan.policy, 1, 1) or '0'
  local flags = flag(plan.has_more) .. flag(plan.has_actions) .. flag(plan.has_scores) .. policy .. #marks / 2
  local counts = string.char(48 + #plan.boards - plan.rolled, 48 + plan.rolled)
  local head = c.seen .. '\n' .. string.format('%013.0f%010d', plan.since, plan.till) .. is_filtered .. counts .. flags .. '\n'
  local text = head
    .. plan.ids
    .. plan.ending
    .. '\n'
    .. (table.concat(plan.boards, '\n') .. (plan.boards[1] and '\n' or ''))
    .. (fading .. '\n' .. table.concat(marks, '\n') .. (marks[1] and '\n' or '') .. (c.moved or '') .. '\n')
  c.new_plan, c.plan = name_plan(c.sender, text, about)
  c.planned_at = PLANS.drops
  return true
end

-- fresh_plan: the fields of the state that hold the plan that a call made; none where plans were dropped since.
local function fresh_plan(c) return c.planned_at == PLANS.drops and c.new_plan or {} end
