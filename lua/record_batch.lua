-- record_batch: counts a batch of events into every window of one target, on Redis's own clock; none of them is tracked.
--
-- 1. Read TIME and the state, and check the arguments.
-- 2. Read what the batch concerns: each key once, for all its members. If the zone's span does not reach far enough, answer 'SPAN'.
-- 3. Apply the events in their order to tables.
-- 4. Write each changed key once. Give new ones their expiry.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args target
-- @args stable_offset
-- @args counting
-- @args batch
-- @args senders
-- @args calendar
-- @each event                    an event
-- @field member          text    the member that it counts for
-- @field delta           number  what it is worth
-- @field when            text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @field id              text    what it is known by besides batch_id: an id of its own, which does not begin with a slash; or "/" and its
--                                place in the batch, which stand behind batch_id; or empty
-- @field action          text    its action where the options keep them, and "*3" where it happened three times; on a board that ranks
--                                values "=" and JSON that stands beside; else empty. With "entries" among the options, a line feed and
--                                the item follow
-- @returns OK                    what became of the events
-- @field now_ms          int     Unix milliseconds
-- @field outcomes        text    an outcome code per event. c: counted. d: duplicate. f: in the future. o: too old for every
--                                window, or of before 1970. e: of no season, and no other window is counted. r: refused by every window (max_members).
--                                b: of before a reset of every window. g: removed from the board. x: not announced. m: too many new members of one sender
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local c = {
  board = board,
  units = units,
  retention = retention,
  rolling = rolling,
  decaying = decaying,
  changed = changed,
  options = options,
  sender = sender,
  replay_window = replay_window,
  once_kept = once_kept,
  max_members = max_members,
  known_for = known_for,
  newcomers = newcomers,
  batch_id = batch_id,
  has_all = has_all == '1',
  stable_from = stable_from,
  stable_until = stable_until,
  stable_offset = stable_offset,
  zone = zone,
  day_starts_at = day_starts_at,
  week_starts_on = week_starts_on,
}
return open_call(c) or count_batch(c, ARGV, events, { read = plan_plain, store = store_plain })
