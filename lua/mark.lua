-- mark: raises the number that shows whether Redis lost something, or notes that it did. The same number is known beside Redis; one there that
-- is greater, or none here, says that something was lost.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg verb              text    raise: at most so often; lost: the board has only what it counted since; behind: it may miss something of
--                                before now; settle: nothing is missing any more, and the number is raised now
-- @arg above             int     the number that is known beside Redis: a raised one is greater
-- @arg every             int     of raise: seconds for which a number stays
-- @returns OK                    it is done
-- @field number          int     the number; 0 where there is none
-- @field at              int     seconds: when it was raised
-- @field counted_since   int     seconds: the board counts since then; 0 where nothing is missing

local state = state_key(board)
local time, values = redis.call('TIME'), redis.call('HMGET', state, 'layout', 'mark', 'counted_since', 'since')
local refusal = check_layout(values[1])
if refusal then return refusal end
local now, number, at = tonumber(time[1]), string.match(values[2] or '', '^(%d+) (%d+)$')
number, at = tonumber(number or 0), tonumber(at or 0)
local was, is, changes = tonumber(values[3] or 0), tonumber(values[3] or 0), {}

if verb == 'settle' then
  is = 0
elseif verb ~= 'raise' and was == 0 then
  is = now
  -- What begins anew notes with its first event since when it counts.
  for since in string.gmatch(verb == 'lost' and values[4] or '', '=(%d+)') do
    since = tonumber(since)
    if since > 0 then is = math.min(is, since) end
  end
end
-- A number of a clock that was ahead is raised at once.
if verb == 'settle' or verb == 'raise' and (at == 0 or at > now or at + every <= now) then
  number, at = math.max(number, above) + 1, now
  changes[1], changes[2] = 'mark', string.format('%d %d', number, at)
end
if is ~= was then
  local now_us = now * 1000000 + time[2]
  for _, text in ipairs({ 'counted_since', string.format('%d', is), 'changed', now_us, 'curated', now_us }) do
    changes[#changes + 1] = text
  end
end
if #changes > 0 then set_state(board, unpack(changes)) end
return { 'OK', number, at, is }
