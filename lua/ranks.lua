-- ranks: the ranks of members on a window of a board, and the members around one of them.
--
-- One member of the current calendar period, on a board where nobody is hidden or pinned, is answered before most functions
-- exist: `npm run bench -- --only counting` compares it with ZREVRANK.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args window
-- @args visible
-- @arg around            int     members to answer on either side of the first one asked for
-- @args stable_offset
-- @args calendar
-- @each member                   a member that is asked for
-- @field id              text    the member's id
-- @returns OK                    where they stand
-- @fields period
-- @field total           count   members that are shown
-- @group standing per member     where a member stands; all empty when it is not shown
-- @field rank            count?  its rank
-- @field score           number? its score
-- @field higher          count?  members that stand higher and have more
-- @group neighbor                a member around the first one, itself among them
-- @field id              id      the member's id
-- @field score           number  its score
-- @field rank            count   its rank
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

if kind == 'calendar' and number == '' and around == 0 and #ARGV == members then
  local call, id = redis.call, ARGV[members]
  local time = call('TIME')
  local now = tonumber(time[1])
  if now >= stable_from and now < stable_until then
    local hour_time, day_time = now + stable_offset % 3600, now + stable_offset - day_starts_at
    local hour, day = (hour_time - hour_time % 3600) / 3600, (day_time - day_time % 86400) / 86400
    local period = period_number(unit, hour, day, week_starts_on)
    local starts_at, ends_at = '', ''
    if unit ~= 'a' then
      starts_at, ends_at = stable_bounds(unit, period, stable_offset, day_starts_at, week_starts_on)
    end
    local is_stable = unit == 'a' or starts_at >= stable_from and ends_at <= stable_until
    if is_stable and call('EXISTS', board .. ':hidden', board .. ':pinned') == 0 then
      local key = period_key(board, unit, period)
      local score = call('ZSCORE', key, id)
      local size = score and tonumber(score) or 0
      local reply = {
        'OK',
        now * 1000 + math.floor(time[2] / 1000),
        period,
        starts_at,
        starts_at,
        ends_at,
        1,
        call('ZCOUNT', key, min_score > 0 and min_score or '(0', '+inf'),
        '',
        '',
        '',
      }
      if size <= 0 or size < min_score then return reply end
      local higher = call('ZCOUNT', key, '(' .. score, '+inf')
      local above
      if ranking == 'competition' then
        above = higher
      elseif ranking == 'dense' then
        -- Not when the distinct scores were not kept all the time, see visible_ranking.
        local text = string.format('%.17g', size)
        above = call('ZSCORE', key .. ':scores', text) and call('ZCOUNT', key .. ':scores', '(' .. text, '+inf')
      elseif ties == '' then
        above = call('ZREVRANK', key, id)
      else
        local position = call('ZREVRANK', key .. ':' .. ties, id)
        local is_right = position and position >= higher and position < call('ZCOUNT', key, score, '+inf')
        above = is_right and call('ZCARD', key .. ':' .. ties) == call('ZCARD', key) and position
      end
      if above then
        reply[9], reply[10], reply[11] = above + 1, score, higher
        return reply
      end
    end
  end
end

local window_ref = { name = window, kind = kind, unit = unit, length = length, amount = amount, at = at }
local found, span = find_board(board, window_ref, number, day_starts_at, week_starts_on, zone)
if not found then return span end

local hidden, pinned = redis.call('SMEMBERS', board .. ':hidden'), redis.call('ZRANGE', board .. ':pinned', 0, -1)
local bound = min_score > 0 and string.format('%.17g', min_score / found.scale) or '(0'
local shown = visible_ranking(found.key, hidden, pinned, ties, ranking, bound)
local reply = begin_reply(found, shown.total)
local first
for i = members, #ARGV, member_fields do
  local position, score = shown.position_of(ARGV[i])
  if i == members then first = position end
  reply[#reply + 1] = position and shown.rank_of(position, score) or ''
  reply[#reply + 1] = position and string.format('%.17g', score * found.scale) or ''
  reply[#reply + 1] = position and shown.higher_than(position, score) or ''
end
local from = first and math.max(1, first - around) or 1
for _, entry in ipairs(first and around > 0 and shown.page(from, first + around - from + 1) or {}) do
  local id, score, rank = unpack(entry)
  reply[#reply + 1] = id
  reply[#reply + 1] = string.format('%.17g', score * found.scale)
  reply[#reply + 1] = rank
end
return reply
