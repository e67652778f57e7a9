-- roll_windows: brings the rolling windows up to date with the periods that a batch changed, in tables. Answers the names of those
-- with late events: rankings of past periods were made without them.
local function roll_windows(c)
  local late = {}
  for _, window in ipairs(c.rolling) do
    local current, is_late = period_number(window.unit, c.hour, c.day, c.week_starts_on), false
    local members, deltas, sequences, index_of = {}, {}, {}, {}
    for _, period in ipairs(c.changed) do
      if period.unit == window.unit then
        is_late = is_late or period.number < current
        for member, sequence in pairs(period.number > current - window.length and period.touched or {}) do
          local i = index_of[member] or #members + 1
          local delta = period.set.scores[member] - period.set.was[member]
          if c.indexes.ties and index_of[member] then sequence = sequence and sequences[i] and math.max(sequence, sequences[i]) end
          index_of[member], members[i], sequences[i] = i, member, sequence
          deltas[i] = round_decimals((deltas[i] or 0) + delta)
        end
      end
    end
    if #members > 0 then roll_members(c, window, current, members, deltas, sequences) end
    if is_late then late[#late + 1] = window.name end
  end
  return late
end
