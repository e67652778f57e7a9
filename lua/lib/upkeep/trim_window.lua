-- trim_window: drops members of a decaying window whose score has decayed below the floor, at most as many as there are entries
-- left; answers how many, and after how many seconds to come again.
local function trim_window(c)
  local clock, PAUSE = c.clock, 21600
  local position = c.kind == 'step' and period_number(c.unit, clock, c.week_starts_on) or clock.now_ms
  local life, span = life_and_span(c.kind, c.amount)
  local _, landmark, scale = decay(position, position, life, span)
  local key, limit = window_key(c.board, c.window, landmark), math.min(c.left, 1000)
  local bound = string.format('%.17g', c.floor / scale)
  local faded = redis.call('ZRANGEBYSCORE', key, '(-' .. bound, '(' .. bound, 'LIMIT', 0, limit)
  if #faded > 0 then
    redis.call('ZREM', key, unpack(faded))
    redis.call('HDEL', key .. ':actions', unpack(faded))
    redis.call('HSET', state_key(c.board), 'changed', clock.now_us)
  end
  return #faded, #faded < limit and PAUSE or 0
end
