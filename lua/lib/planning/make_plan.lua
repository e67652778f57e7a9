-- make_plan: what an event of now is counted on, for count_now and index_now; false where it is not counted so. c.plan is what find_plan
-- answers, and c.new_plan are the fields of the state that hold it and the arguments `about`.
--
-- After what it follows from come, in places of their own: since when it holds for events (milliseconds, 13 digits), and until when for the clock (seconds, ten
-- digits); 1 where a member is to be looked at, since it may not count, see refuses, or 0; how many boards of periods are added to, and how many of rolling windows (a character each, 0 and those behind it); and 1 or 0, for yes
-- and no: whether there is more to do; whether actions are counted; whether there are scores.
--
-- Then come lines: the sets of ids of before and of now, empty where an id needs more than these; the end of the names of orders of ties;
-- the boards of the periods; of each rolling window its board and the next one; and the board of a half-life, whose landmark and
-- life (milliseconds, 15 digits each) follow in a line. The last but one line is empty: earlier versions read it. The last line tells whether members were
-- removed, see find_moved.
local function make_plan(c, about)
  local is_known = c.options or not c.kept_indexes or string.sub(c.kept_indexes, -1) == ':'
  if not (c.is_usual and is_known) or c.changed ~= '' or c.is_between or c.begun and archives_now(c) then return false end
  local now, offset, grain_left = c.now, c.stable_offset, c.finest and c.finest - c.now % c.finest or math.huge
  local hour_left, day_left = 3600 - (now + offset) % 3600, 86400 - (now + offset - c.day_starts_at) % 86400
  local plan = {
    since = c.same_from,
    till = math.min(c.stable_until, now + hour_left, now + day_left, now + grain_left, c.season_until or math.huge),
    ids = '\n\n',
    ending = '',
    boards = {},
    rolled = 0,
    has_more = c.decaying ~= '',
    has_actions = false,
    has_scores = true,
  }
  if c.id_turn and not c.has_parts then
    -- A clock that went back before the turn, in its hour, leaves ids known for longer.
    plan.till = math.min(plan.till, c.ids_turned_at + c.replay_window)
    plan.ids = ids_key(c.board, c.sender, c.id_turn - 1) .. '\n' .. ids_key(c.board, c.sender, c.id_turn) .. '\n'
  end
  local fading = (c.options and plan_indexed or plan_boards)(c, plan)
  if not fading or plan.since < 0 or plan.till >= 1e10 or #plan.boards > 64 then return false end
  local function flag(is_so) return is_so and '1' or '0' end
  local is_choosy = flag(c.moved or c.known_for ~= '0')
  local flags = flag(plan.has_more) .. flag(plan.has_actions) .. flag(plan.has_scores)
  local counts = string.char(48 + #plan.boards - plan.rolled, 48 + plan.rolled)
  local state = plan_state(c.seen, c.said[4], c.said, 12, 11 + 2 * #c.windows)
  local head = state .. string.format('%013.0f%010d', plan.since, plan.till) .. is_choosy .. counts .. flags
  local text = head
    .. plan.ids
    .. plan.ending
    .. '\n'
    .. (table.concat(plan.boards, '\n') .. (plan.boards[1] and '\n' or ''))
    .. (fading .. '\n\n' .. (c.moved or '') .. '\n')
  c.plan = parse_plan(text, 2 + 2 * #c.windows)
  c.new_plan = { 'arguments:' .. c.sender, about, 'boards:' .. c.sender, text }
  return true
end
