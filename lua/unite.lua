-- unite: makes the board of a rolling window of values from its base periods, unless it was made since the last change. A member has the
-- greatest or the least of its values there. The configuration bounds how many entries that are.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about asked window kept visible calendar
-- @arg number            text    the number of the window's last base period; empty for the current one
-- @arg keeps             text    greatest or least
-- @returns OK                    it is there
-- @field is_new          flag    whether it was made now
-- @returns AHEAD                 the period has not begun
-- @returns GONE                  the period is no longer kept
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local KEPT = 600 -- seconds: what is asked for less often is made anew
local found, refusal = find_board(board, asked, number)
if not found then return refusal end
local key, mark = window_key(board, asked.window, found.period), whole_mark(found.clock.generation)
local changed = found.clock.state.changed or '0'
if found.key and found.changed == changed then return { 'OK', 0 } end

local aggregate = keeps == 'greatest' and 'MAX' or 'MIN'
local function unite(to, key_of)
  local bases = {}
  for base = found.period - asked.length + 1, found.period do
    bases[#bases + 1] = key_of(period_key(board, asked.unit, base))
  end
  bases[#bases + 1] = 'AGGREGATE'
  bases[#bases + 1] = aggregate
  redis.call('ZUNIONSTORE', to, asked.length, unpack(bases))
  redis.call('ZADD', to, '-' .. changed, mark)
  redis.call('EXPIRE', to, KEPT)
end
local index = asked.ties ~= '' and kept_index(found, '', asked.ties)
if index then unite(key .. index, function(base) return base .. index end) end
unite(key, function(base) return base end)
return { 'OK', 1 }
