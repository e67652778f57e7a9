-- entries: what one event of a batch adds to periods and windows.
-- @use boards, fading, groups, hashes, joining, limits, rolling, values

-- count_periods: counts an entry on the boards of its periods, in tables, an undo also on those of entry.unlisted. Answers how many take it,
-- how many refused it, and whether one was reset since.
local function count_periods(c, entry)
  local tracked, at, kept, refused, is_before = entry.tracked, entry.at, 0, 0, false
  local function count(period)
    if c.resets and was_reset(c, at, period.unit, period.number) then
      is_before = true
      return
    end
    kept = kept + 1
    if count_in_period(c, entry, period) == 'refused' then
      refused, period.refused = refused + 1, period.refused + 1
    elseif tracked and tracked.took then
      tracked.took = tracked.took .. period.unit
      if period.unit == 's' then tracked.took_windows = string.format('%ss=%d ', tracked.took_windows, period.number) end
    end
  end
  for _, period in ipairs(entry.group.periods) do
    if period.kept then count(period) end
  end
  for _, period in ipairs(entry.unlisted or {}) do
    count(period)
  end
  return kept, refused, is_before
end

-- load_batch: reads what counting a batch will look at, each key with one command for all members.
local function load_batch(c)
  local names, keeps_actions = c.batch.names, c.indexes.actions
  for _, group in ipairs(c.group_list) do
    for _, period in ipairs(group.periods) do
      if period.board then want_members(period.board, group.members) end
      if period.board and c.indexes.policy then want_values(c, period, group.members) end
      for i = 1, period.kept and keeps_actions and #group.members or 0 do
        want_field(hash_of(c.hashes, actions_key(period.key)), names[group.members[i]])
      end
    end
  end
  if c.decaying ~= '' then
    for _, entry in ipairs(c.entries) do
      want_fading(c, entry)
    end
  end
  for _, board in ipairs(c.board_list) do
    load_board(c, board)
  end
  for _, hash in ipairs(c.hashes) do
    load_hash(hash)
  end
end

-- count_in_windows: counts an entry into every window, in tables. Answers its outcome: c counted, r refused by every window that keeps its
-- periods, o too old for every window, e of no season, b of before a reset of every window.
local function count_in_windows(c, entry)
  local kept, refused, is_before = count_periods(c, entry)
  local faded, full, faded_before = false, false, false
  if entry.fades then
    faded, full, faded_before = fade_entry(c, entry)
  end
  if faded or refused < kept then return 'c' end
  if (is_before or faded_before) and refused == 0 and not full then return 'b' end
  if c.season_until and not entry.group.periods[1] then return 'e' end
  return (refused > 0 or full) and 'r' or 'o'
end

-- count_entry: counts an entry into every window, in tables, unless its member is new and its sender made enough of those: then the outcome is
-- m, else that of count_in_windows. What is refused does not count as a new member.
local function count_entry(c, entry)
  local is_new = c.newcomers ~= '' and is_newcomer(c, entry)
  if is_new and not may_join(c, entry.event) then return 'm' end
  local outcome = count_in_windows(c, entry)
  if is_new and outcome ~= 'c' then forget_newcomer(c, entry.event) end
  return outcome
end
