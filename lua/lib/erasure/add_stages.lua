-- add_stages: adds stages to those of board_stages: of each unit its periods, the past rankings made of them and its rolling windows, at last the
-- decaying windows. A stage has the numbers of its boards, `first` down to `last`, `key_of` a number, and `drop`, which removes c.members from
-- one; c.drop and c.drop_rolled do something else with them, see alias. Periods that have a stage get no other one.
local function add_stages(c, stages, units, retention, rolling, decaying)
  local clock = c.clock
  c.staged = c.staged or {}
  local function current_of(unit) return period_number(unit, clock, c.week_starts_on) end
  local function add(first, last, key_of)
    stages[#stages + 1] = { first = first, last = last, key_of = key_of, drop = c.drop or drop_members }
    return stages[#stages]
  end
  for i = 1, #units do
    local unit = string.sub(units, i, i)
    local seasons = unit == 's' and season_numbers(clock.zone, math.huge)
    local current, kept = seasons and #seasons or current_of(unit), tonumber(string.sub(retention, i * 10 - 9, i * 10))
    local last = seasons and 1 or current - periods_back(unit, kept, current_of('y'))
    local periods = add(
      c.staged[unit] and c.staged[unit] - 1 or seasons and current or current + 1,
      last,
      function(number) return period_key(c.board, unit, seasons and seasons[number] or number) end
    )
    periods.of = not seasons and unit
    c.staged[unit] = last
    for window, length in string.gmatch(rolling, '([^:%s]+):' .. unit .. ':(%d+)') do
      add(current, last, function(number) return past_key(c.board, window, number) end).is_past = true
      -- Dropping members from one drops them from all. Only looking needs each.
      local rolled = add(
        current + 1,
        (c.pattern or c.is_dry) and current - 2 or current + 1,
        function(number) return window_key(c.board, window, number) end
      )
      rolled.drop, rolled.window, rolled.unit, rolled.length, rolled.current =
        c.drop_rolled or drop_rolled, window, unit, tonumber(length), current
    end
  end
  for window, kind, unit, amount, second in string.gmatch(decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local number = decaying_number(c, kind, unit, tonumber(amount), tonumber(second))
    add(number + 1, number - 1, function(near) return window_key(c.board, window, near) end).is_fading = true
  end
end
