-- read_newcomers: how many new members the senders of a call's events put on its board within the hour, as a table: of each event the names
-- of its visitor and of the networks of its address, the smallest first, `was` by name as it is in Redis, and `more`, which are counted in
-- tables.
--
-- They are named by hashes of their digests with a random salt, which the state holds until the next hour begins: "until salt". The hash
-- that counts them ends with the hour. So nobody can be found by them, nor followed from hour to hour or from board to board.
local function read_newcomers(c)
  local counts = c.newcomer_counts
  if counts then return counts end
  local HOUR = 3600
  local visitor, address, new_salt, senders = string.match(c.newcomers, '^(%d+) (%d+) (%S+)(.*)$')
  local until_s, salt = string.match(c.said[#c.said] or '', '^(%d+) (%S+)$')
  counts = { visitor = tonumber(visitor), address = tonumber(address), of = {}, was = {}, more = {} }
  -- A clock that was set back must not keep a salt for longer.
  if not (until_s and c.now < tonumber(until_s) and tonumber(until_s) <= c.now + HOUR) then
    until_s, salt = c.now + HOUR, redis.sha1hex(new_salt .. c.board)
    c.newcomers_state = { 'newcomers', string.format('%d %s', until_s, salt) }
  end
  counts.until_s = until_s
  local names, e = {}, 0
  for times, who, networks in string.gmatch(senders, ' (%d+):([^.%s]*)(%S*)') do
    local sender = networks ~= '' and { visitor_name(salt, who), unpack(network_names(salt, networks)) } or nil
    for i = 1, tonumber(times) do
      counts.of[e + i] = sender
    end
    e = e + times
    for _, name in ipairs(sender or {}) do
      names[#names + 1] = name
    end
  end
  local found = (c.newcomers_state or not names[1]) and {} or redis.call('HMGET', newcomers_key(c.board), unpack(names))
  for i = 1, #names do
    counts.was[names[i]] = tonumber(found[i] or 0)
  end
  c.newcomer_counts = counts
  return counts
end
