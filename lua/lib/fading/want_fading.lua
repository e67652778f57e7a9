-- want_fading: which boards of decaying windows an entry counts on, and with how much: by each event's own time. Undos ask again when
-- they know what they undo.
local function want_fading(c, entry)
  local batch, tracked, add = c.batch, entry.tracked, add_fade
  entry.fades = {}
  for _, window in ipairs(decaying_windows(c)) do
    local starts_at, life = window.starts_at, window.amount
    local steady = 0
    for _, e in ipairs(entry.events) do
      local at = tracked and tracked.done_at or batch.instants[e]
      if window.is_steady and at > window.oldest then
        steady = steady + batch.deltas[e] * 2 ^ ((at - starts_at) / life)
      else
        for _, on in ipairs(decaying_at(c, window, at)) do
          add(c, entry, window, on[1], batch.deltas[e] * on[2])
        end
      end
    end
    if steady ~= 0 then add(c, entry, window, window.number, steady) end
  end
end
