-- count_decaying: counts an event on the boards of the decaying windows, in tables, by its own time. Answers whether any took
-- it, and whether any refused it, since the member is new and the board is full.
-- @include tally window_key
local function count_decaying(c, e)
  local batch, sets, hashes = c.batch, c.sets, c.hashes
  local member, delta, tracked = batch.members[e], batch.deltas[e], batch.tracked[e]
  local undoes = tracked and tracked.verb == 'u'

  -- In the record of a tracked action; with other parameters the same name is another window.
  local function mark(window)
    local parameters = string.format('%s %s %.17g %d', window.kind, window.unit, window.amount, window.at)
    window.mark = window.mark or window.name .. ':' .. string.sub(redis.sha1hex(parameters), 1, 4)
    return window.mark
  end
  -- Whether there is room for it.
  local function take(window, number, value)
    local key = window_key(c.board, window.name, number)
    local set = sets.of(key)
    local old = sets.get(set, member)
    if old == 0 and not undoes and sets.size(set) >= c.max_members then return false end
    local sum = old + value
    -- What rounding left of a sum that was taken back. What is left of long sums is more, but below the floor of the window.
    if math.abs(sum) < math.abs(value) * 1e-13 then sum = 0 end
    sets.put(set, member, sum)
    -- A double holds later instants than Redis takes.
    set.expires_at = math.min(math.ceil(window.ends_at(number)) + 86400, 2 ^ 40)
    if c.indexes.actions then
      local hash = hashes.of(key .. ':actions')
      hashes.put(hash, member, tally(hashes.get(hash, member), batch.actions[e], undoes and -1 or 1, value, false))
    end
    return true
  end

  local any, any_refused = false, false
  for _, window in ipairs(c.decaying) do
    local is_concerned, refused = not undoes or string.find(tracked.windows, ' ' .. mark(window) .. ' ', 1, true), false
    for _, on in ipairs(is_concerned and window.boards_of(batch.instants[e]) or {}) do
      local value = delta * on[2]
      if value ~= 0 then
        if take(window, on[1], value) then
          any = true
        else
          refused, any_refused = true, true
        end
      end
    end
    if tracked and tracked.took_windows and not refused then tracked.took_windows = tracked.took_windows .. mark(window) .. ' ' end
  end
  return any, any_refused
end
