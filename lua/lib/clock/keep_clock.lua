-- keep_clock: writes what a clock changes in the state of its target: the layout of a new or old one, the latest hour and day, and
-- a new generation after a clock that is believed went back, and what note_since found. A script that writes calls it before it writes anything else.
local function keep_clock(board, clock)
  local changes, seen = {}, string.format('%d:%d', clock.hour, clock.day)
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
    clock.new_counts = nil
  end
  if #changes > 0 then redis.call('HSET', state_key(board), unpack(changes)) end
end
