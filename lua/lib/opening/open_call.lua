-- open_call: asks for the state of a call that counts, and reads it. Answers the reply that refuses the call, if any.
local function open_call(c)
  local more = c.options and { 'past', 'buckets', 'journal' } or {}
  if c.stands then
    for _, field in ipairs({ 'curated', 'listed', 'boards:' .. c.sender, 'arguments:' .. c.sender }) do
      more[#more + 1] = field
    end
  end
  c.time = redis.call('TIME')
  local last_window, last = ask_state(c, more)
  if c.stands then c.stands.asked_at = last - (c.newcomers == '' and 3 or 4) end
  c.has_all = c.has_all == '1'
  if c.journal == 0 then c.journal = nil end
  local refusal = read_state(c)
  if c.options then
    c.sequence, c.past, c.kept_buckets, c.kept_journal = unpack(c.said, last_window + 1, last_window + 4)
  end
  return refusal
end
