-- decay: how the windows fade that do.
-- @use clock, zones

-- decay: where an event of a decaying window counts. `at` is when it happened, `now` is now. Answers three things:
-- - the boards on which it counts, as a list of { board number, factor }
-- - the number of the current board
-- - what to multiply that board's scores with to read them now
-- Times are in any one unit. `life` is how long it takes to lose half the weight, `span` how long a board is current.
--
-- Forward decay (Cormode, Shkapenyuk, Srivastava, Xu, ICDE 2009): an event is worth 2^(its age at the board's landmark), so
-- scores never need to change. A span of 512 lives stays far from a double's 2^1023. In the last eighth of it events are
-- also written to the next board, scaled by a power of two. What is older than an eighth is worth less than 2^-64 and is
-- left out everywhere. So every board begins complete, and there is nothing to rotate.
--
-- For a while after the landmark, `held`, events are also written to the board before: a clock that goes back by less finds that one complete.
local function decay(at, now, life, span, held)
  local current = math.floor(now / span)
  local worth = 2 ^ ((at - current * span) / life)
  local boards = {}
  for number = math.floor((now - (held or 0)) / span), math.floor((now + span / 8) / span) do
    if at >= math.max(now, number * span) - span / 8 then
      boards[#boards + 1] = { number, worth * 2 ^ ((current - number) * span / life) }
    end
  end
  return boards, current, 2 ^ ((current * span - now) / life)
end

-- FADING: the decaying windows of the texts that were read last. A library keeps them from call to call.
local FADING = { count = 0, most = 300, of = {} }

-- read_decaying: the decaying windows that a text lists, see lua/fields/target.lua. `mark` names one in the record of a tracked action: with other
-- parameters the same name is another window.
local function read_decaying(text)
  local windows = FADING.of[text]
  if windows then return windows end
  windows = {}
  for name, kind, unit, amount, at in string.gmatch(text, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local parameters = string.format('%s %s %.17g %d', kind, unit, amount, at)
    local mark = string.format('%s:%s', name, string.sub(redis.sha1hex(parameters), 1, 4))
    windows[#windows + 1] = { name = name, kind = kind, unit = unit, amount = tonumber(amount), at = tonumber(at), mark = mark }
  end
  return keep_memo(FADING, text, windows)
end

-- decaying_windows: the decaying windows of a target, as its argument lists them, or those of a text that lists others. A half-life is `is_steady`
-- while an event of an instant later than `oldest` counts on its current board only: see decay.
local function decaying_windows(c, others)
  if c.decaying_windows and not others then return c.decaying_windows end
  local windows = {}
  for _, read in ipairs(read_decaying(others or c.decaying)) do
    local kind = read.kind
    local window = { name = read.name, kind = kind, unit = read.unit, amount = read.amount, at = read.at, mark = read.mark, boards = {} }
    if kind == 'half-life' then
      local span = 512 * window.amount
      window.number = math.floor(c.now_ms / span)
      window.starts_at, window.oldest = window.number * span, c.now_ms - span / 8
      window.is_steady = c.now_ms >= window.starts_at + STEP_BACK_MS and c.now_ms + span / 8 < (window.number + 1) * span
    end
    windows[#windows + 1] = window
  end
  if not others then c.decaying_windows = windows end
  return windows
end

-- life_and_span: the life and the span of a decaying window, for decay. A 'half-life' halves every `amount` milliseconds. A 'step'
-- is multiplied by `amount` at each step; its times are steps, and its span is a whole number of them.
local function life_and_span(kind, amount)
  if kind == 'half-life' then return amount, 512 * amount end
  local life = math.log(2) / -math.log(amount)
  return life, math.ceil(512 * life)
end

-- is_residue: whether a sum on a board of a window that fades, after `value` was added, is what rounding left of one that was taken back. Weights
-- have six decimals, and a linear window counts whole seconds, so a sum there is a multiple of a millionth of what a second adds. What
-- is left of long sums of the other windows is more, but below their floor. `window` may be left out of a half-life.
local function is_residue(sum, value, window)
  local size = math.abs(sum)
  return size < math.abs(value) * 1e-13 or window and window.kind == 'linear' and size < window.amount * 0.5e-6
end

-- linear_period: the number, start and end (seconds) of the time between two resets that holds second t. rows are the zone's,
-- with days that start at the time of the reset.
local function linear_period(rows, unit, week_starts_on, t)
  local time = { hour = local_count(rows, 'hour', 3600, t), day = local_count(rows, 'day', 86400, t), second = t }
  local number = period_number(unit, time, week_starts_on)
  return number, period_bounds(rows, unit, number, week_starts_on)
end

-- step_at: the number of the step of a step window that holds an instant (milliseconds).
local function step_at(c, window, at) return period_number(window.unit, local_time(c, at), c.week_starts_on) end

-- decaying_at: the boards of a decaying window on which something that happened `at` (milliseconds) counts, each as { board number,
-- what it is worth there }.
local function decaying_at(c, window, at)
  local kind, unit, amount = window.kind, window.unit, window.amount
  if kind == 'linear' then
    if not window.starts_at then
      window.number, window.starts_at, window.ends_at = linear_period(zone_rows(c.zone, window.at), unit, c.week_starts_on, c.now)
    end
    local second = math.floor(at / 1000)
    return second < window.starts_at and {} or { { window.number, amount * (second - window.starts_at) } }
  end
  local life, span = life_and_span(kind, amount)
  if kind == 'half-life' then return (decay(at, c.now_ms, life, span, STEP_BACK_MS)) end
  return (decay(step_at(c, window, at), step_at(c, window, c.now_ms), life, span))
end
