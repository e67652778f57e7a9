-- upkeep: does a bounded chunk of what a board needs, and reports the progress.
--
-- The job 'window' keeps a window. A rolling one is repaired where it is not whole, and the board of its next period is prepared when
-- the boundary comes near. A half-life or step window loses the members that have faded. The job 'past' builds past rankings
-- that readers want, the job 'indexes' the indexes of distinct scores that boards lack. Whatever a chunk writes is right beside
-- writers, and it can be repeated at any moment.
--
-- 1. Read TIME and the state. Answer 'SPAN' if the zone's span does not reach.
-- 2. Answer 'BUSY' when another owner is at it, who did a chunk in the last three seconds.
-- 3. Go on where the last chunk ended, or begin anew when what it was about has changed since.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args window
-- @arg job               text    window, past or indexes
-- @arg owner             text    who asks
-- @arg entries           int     about how many entries of sorted sets to read at most; 0 asks for the progress and writes nothing
-- @arg is_early          int     1: prepare the next period however far its beginning is
-- @arg floor             number  scores of a decaying window between it and its negative have faded
-- @args target
-- @args calendar
-- @returns OK                    a chunk is done
-- @field now_ms          int     Unix milliseconds
-- @field task            text    what is next: repair, prepare, past, indexes, trim or ready (nothing is left to do)
-- @field rest            count   seconds after which it is to be done; 0 = now
-- @field scanned         count   entries scanned; of a decaying window the members dropped
-- @field total           count   entries to scan
-- @field last_run_ms     int     Unix milliseconds at which the last chunk was done; 0 for never
-- @returns BUSY                  somebody else is at it
-- @field now_ms          int     Unix milliseconds
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- 1. Time.
local fields = { 'indexes', 'past', 'counts', 'changed', 'built', 'window:' .. window, 'made:' .. unit, 'lost:' .. unit }
local clock, refusal = read_clock(board, zone, day_starts_at, fields)
if refusal then return refusal end
if entries > 0 then keep_clock(board, clock) end
local context = board_context(board, clock, options, entries > 0)
context.window, context.kind, context.unit, context.length, context.amount, context.floor = window, kind, unit, length, amount, floor
context.units, context.retention, context.rolling, context.week_starts_on = units, retention, rolling, week_starts_on
context.owner, context.remaining, context.is_early = owner, entries, is_early == 1

-- 2 and 3.
local scan, task, rest
if job == 'past' then
  scan, task, rest = build_past(context)
elseif job == 'indexes' then
  scan, task, rest = keep_indexes(context)
elseif kind == 'rolling' then
  scan, task, rest = keep_window(context)
else
  local dropped
  dropped, rest = trim_window(context)
  return { 'OK', clock.now_ms, rest == 0 and 'trim' or 'ready', rest, dropped, dropped, clock.now_ms }
end
if scan.is_held and entries > 0 then return { 'BUSY', clock.now_ms } end
return { 'OK', clock.now_ms, task, rest, scan.scanned, scan.total, scan.at }
