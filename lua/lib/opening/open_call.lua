-- open_call: asks for the state of a call that counts, and reads it. Answers the reply that refuses the call, if any.
local function open_call(c)
  ask_state(c, c.options and { 'past', 'buckets', 'journal' } or {})
  local refusal, last = read_state(c), 11 + 2 * #c.windows
  if c.options then
    c.sequence, c.past, c.kept_buckets, c.kept_journal = unpack(c.said, last + 1, last + 4)
  end
  return refusal
end
