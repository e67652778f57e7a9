-- note_done: lets store_journal note what an entry counted: by its member, what is needed to take it back, see parse_noted.
local function note_done(c, entry, who)
  local tracked, batch, e = entry.tracked, c.batch, entry.event
  local words = {
    recorded_at(c, entry, who),
    batch.instants[e],
    put_delta_and_times(batch.deltas[e], entry.times),
    tracked.took,
    recorded_windows(c, tracked),
    batch.actions[e] or '',
  }
  local what = { tracked.verb, tracked.once, tracked.what, event_sequence(c, e), sequences_before(c, tracked), who }
  c.noted = c.noted or {}
  c.noted[#c.noted + 1] = batch.names[entry.member]
  c.noted[#c.noted + 1] = string.format('%d,%d,%s,%s,%s,%s,', unpack(words)) .. string.format('%s,%s,%s,%d,%s,%s', unpack(what))
end
