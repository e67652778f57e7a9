-- keep_clock: writes what a clock changes in the state of its target: the layout of a new or old one, the latest hour and day, and
-- a new generation after a clock that is believed went back, and what note_since found. A script that writes calls it before it writes anything else.
local function keep_clock(board, clock)
  -- Who does not count knows no units, and keeps what was seen as it is written.
  local _, _, grain = unit_of(string.sub(clock.units or '', 1, 1))
  local has_grain = grain or not clock.units and string.find(clock.seen or '', ':.*:')
  local minute = has_grain and string.format(':%d', math.floor(clock.second / 60)) or ''
  local has_plans = not (clock.is_old or clock.is_behind or clock.new_counts)
  local changes, seen = {}, string.format('%d:%d', clock.hour, clock.day) .. minute
  if clock.is_old then
    upgrade_layout(board, changes)
    changes[#changes + 1], changes[#changes + 2] = 'generation', clock.generation
    clock.is_old = false
  end
  if clock.seen ~= seen then
    changes[#changes + 1], changes[#changes + 2] = 'seen', seen
    clock.seen = seen
  end
  if clock.is_behind then
    clock.generation = string.format('%d', clock.generation + 1)
    changes[#changes + 1], changes[#changes + 2] = 'generation', clock.generation
    changes[#changes + 1], changes[#changes + 2] = 'due', ''
    clock.is_behind = false
  end
  if clock.new_counts then
    changes[#changes + 1], changes[#changes + 2] = 'counts', clock.new_counts
    changes[#changes + 1], changes[#changes + 2] = 'since', clock.new_since
    changes[#changes + 1], changes[#changes + 2] = 'changed', clock.now_us
    if clock.kept_journal then
      changes[#changes + 1], changes[#changes + 2] = 'journal', clock.kept_journal
    end
    if clock.new_others then
      changes[#changes + 1], changes[#changes + 2] = 'others', clock.new_others
    end
    clock.new_counts = nil
  end
  if #changes > 0 then redis.call('HSET', state_key(board), unpack(changes)) end
  if not has_plans then drop_plans(board) end
end
