-- open_call: asks for the state of a call that counts, and reads it. Answers the reply that refuses the call, if any.
local function open_call(c)
  ask_state(c)
  return read_state(c)
end
