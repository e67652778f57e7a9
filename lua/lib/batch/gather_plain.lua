-- gather_plain: what a plain batch adds to each member, by the group of its periods, and to the boards of decaying windows: sums by
-- member. Their order does not matter, unless a board has no room: see count_plain.
local function gather_plain(c)
  local batch, group_at, now_from = c.batch, group_of, c.same_from
  local members, deltas, instants, outcomes = batch.members, batch.deltas, batch.instants, batch.outcomes
  local windows = decaying_windows(c)
  for e = 1, batch.count do
    if outcomes[e] == 'c' then
      local member, at = members[e], instants[e]
      local group = at >= now_from and c.current_group or group_at(c, at)
      local sum = group.sums[member]
      if not sum then
        sum, group.has[member], group.members[#group.members + 1] = 0, true, member
      end
      group.sums[member] = sum + deltas[e]
      for w = 1, #windows do
        local window = windows[w]
        if window.is_steady and at > window.oldest then
          local sums = window.sums
          sums[member] = (sums[member] or 0) + deltas[e] * 2 ^ ((at - window.starts_at) / window.amount)
        else
          add_fading(c, window, member, at, deltas[e])
        end
      end
    end
  end
  for w = 1, #windows do
    local sums = windows[w].sums
    if next(sums) then fading_board(c, windows[w], windows[w].number).sums = sums end
  end
end
