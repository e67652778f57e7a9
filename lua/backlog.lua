-- backlog: messages that the receiver of a site's `forward` did not take, for a day and up to so many bytes, by the instants of their events.
-- It keeps some, takes out what was sent, and answers the oldest ones to one owner at a time.
--
-- 1. Take out what was sent, and what is older than a day.
-- 2. Keep the messages. With only_behind, only where others wait that are not just being sent.
-- 3. Drop the oldest ones while there are too many bytes.
-- 4. Answer some, the oldest first. A caller that gets all of them sends the last ones: what comes now need not wait behind these.
--
-- Beside the sorted set of places by instants stands a hash: texts by place, `bytes` of these, `number` of the last place, `owner` and until when
-- (seconds) it sends, and `last`, when the last ones are being sent. Both expire a week after the last message came, for sites that are gone.
--
-- @key board                     what the keys of a site begin with, "eb:{site}"
-- @arg owner             text    who sends messages; empty: nobody does
-- @arg only_behind       int     1: keep messages only where others wait
-- @arg after             text    the place of the message before the first one that is answered, or empty
-- @arg limit             int     how many to answer at most; 0: the owner is done
-- @arg most              int     bytes that are kept at most
-- @arg sent              text    the places of those to take out, with spaces between them
-- @each message                  one to keep
-- @field place           text    where one is that it replaces; empty of a new one
-- @field ago             int     milliseconds since it could first have been sent
-- @field text            text    the message
-- @returns OK                    it is done
-- @field kept            flag    whether the messages are kept
-- @field dropped         count   messages that were dropped: too old, or too many
-- @field waiting         count   those that wait now
-- @group waiting_message         one of them
-- @field place           text    where it is
-- @field text            text    the message
-- @returns BUSY                  another owner sends them; nothing was done

local KEPT_S, BUSY_S = 86400, 60
local call, time, key, texts = redis.call, redis.call('TIME'), backlog_key(board), backlog_texts_key(board)
local now, by, busy_until = time[1] + 0, string.match(call('HGET', texts, 'owner') or '', '^(%S+) (%d+)$')
if owner ~= '' and by and by ~= owner and now < busy_until + 0 then return { 'BUSY' } end
local now_ms = now * 1000 + math.floor(time[2] / 1000)
local places = {}
for place in string.gmatch(sent, '%S+') do
  places[#places + 1] = place
end
take_messages(board, places)
local dropped = take_messages(board, call('ZRANGEBYSCORE', key, '-inf', now_ms - KEPT_S * 1000))
local waits = call('ZCARD', key) > 0
local is_kept = only_behind == 0 or waits and not call('HGET', texts, 'last')
if is_kept then put_messages(board, now_ms, { unpack(ARGV, messages) }) end
while (tonumber(call('HGET', texts, 'bytes') or nil) or 0) > most do
  dropped = dropped + take_messages(board, call('ZRANGE', key, 0, 0))
end
local remaining, reply = call('ZCARD', key), {}
if remaining == 0 then
  call('UNLINK', texts)
elseif owner ~= '' and limit == 0 then
  call('HDEL', texts, 'owner', 'last')
elseif limit > 0 then
  local rank = after ~= '' and call('ZRANK', key, after)
  local from = rank and rank + 1 or 0
  places = call('ZRANGE', key, from, from + limit - 1)
  if owner ~= '' then call('HSET', texts, 'owner', owner .. ' ' .. now + BUSY_S) end
  if owner ~= '' and remaining <= limit then call('HSET', texts, 'last', 1) end
  for i, text in ipairs(#places > 0 and call('HMGET', texts, unpack(places)) or {}) do
    reply[2 * i - 1], reply[2 * i] = places[i], text or ''
  end
end
if is_kept and remaining > 0 then
  call('EXPIRE', key, 7 * KEPT_S)
  call('EXPIRE', texts, 7 * KEPT_S)
end
return { 'OK', is_kept and 1 or 0, dropped, remaining, unpack(reply) }
