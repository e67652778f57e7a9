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
