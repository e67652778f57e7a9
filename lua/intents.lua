-- intents: what was decided at a home and did not reach all of its targets, as far as the home knows, the oldest first. See decide.
--
-- What has waited for longer than a target remembers orders is forgotten: it could count twice.
--
-- @frees memory       of what is settled
-- @key home                      prefix of the keys of a home, "eb:{7/site}"
-- @arg settled           text    intents that all of their targets answered, see settle_intents
-- @arg ends              text    whose intents are forgotten, and where the rest of what they did counted, as record_tracked has it; or empty
-- @arg age               int     milliseconds: what was decided later is left out
-- @arg limit             int     how many to answer at most
-- @returns OK                    it is done
-- @field decided_until   count   with `ends`, the last order that the home may have given; else 0
-- @group intent                  one of them
-- @field order           count   its order
-- @field who             text    who did it
-- @field written         text    see decide

local KEPT_US = 13 * 86400 * 1000000
local call, time, key, reply = redis.call, redis.call('TIME'), intents_key(home), { 'OK', 0 }
local now_us = time[1] * 1000000 + time[2]
settle_intents(home, settled)
if ends ~= '' then
  end_intents(home, ends, math.floor(now_us / 1000000))
  reply[2] = math.max(now_us, last_decided(home))
end
for _, intent in ipairs(call('ZRANGEBYSCORE', key, '-inf', now_us - age * 1000, 'LIMIT', 0, limit)) do
  local order, who = string.match(intent, '^(%d+) (.*)$')
  local written = call('HGET', intents_key(home, who), order)
  if written and tonumber(order) > now_us - KEPT_US then
    reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = tonumber(order), who, written
  else
    call('HDEL', intents_key(home, who), order)
    call('ZREM', key, intent)
  end
end
return reply
