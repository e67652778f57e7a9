-- ask_state: asks for the state of a call's target: what every call that counts needs, see read_state, and `more` fields. c.said are their values,
-- or an error. First stand eleven fields in the order below. Then come two of each rolling window: how it is, and the made base boards of its unit;
-- then, where there are options, the last sequence number; then `more`; at last, where senders are bounded, who made new members, see
-- read_newcomers. Answers the place of the last of the windows' fields, and of the last of all.
local function ask_state(c, more)
  local ids, turned, parts = 'ids:' .. c.sender, 'turned:' .. c.sender, 'parts:' .. c.sender
  local fields = { 'layout', 'seen', 'generation', ids, turned, parts, 'indexes', 'counts', 'moved', 'resets', 'archived' }
  for name, unit in string.gmatch(c.rolling, '([^:%s]+):(%a):%d+') do
    fields[#fields + 1], fields[#fields + 2] = 'window:' .. name, 'made:' .. unit
  end
  local last_window = #fields
  if c.options then fields[last_window + 1] = 'sequence' end
  for _, field in ipairs(more) do
    fields[#fields + 1] = field
  end
  if c.newcomers ~= '' then fields[#fields + 1] = 'newcomers' end
  c.said = redis.pcall('HMGET', c.board .. ':state', unpack(fields))
  return last_window, #fields
end
