-- want_fading: which boards of decaying windows an entry counts on, and with how much, by its event's own time. Undos ask again when
-- they know what they undo.
local function want_fading(c, entry)
  local tracked = entry.tracked
  local at = tracked and tracked.done_at or c.batch.instants[entry.event]
  entry.fades = {}
  for _, window in ipairs(decaying_windows(c)) do
    if window.is_steady and at > window.oldest then
      add_fade(c, entry, window, window.number, entry.delta * 2 ^ ((at - window.starts_at) / window.amount))
    else
      for _, on in ipairs(decaying_at(c, window, at)) do
        add_fade(c, entry, window, on[1], entry.delta * on[2])
      end
    end
  end
end
