-- note_gone: notes the base boards of periods from one to another that the state lists as made, and that are gone, as lost. What else was made of
-- them is made anew, so that it lacks the same: past rankings, and rolling windows other than the one that is being repaired, if any.
local function note_gone(c, first, last, repaired)
  local call, clock, state, gone = redis.call, c.clock, c.clock.state, {}
  for number in string.gmatch(state['made:' .. c.unit] or '', '%-?%d+') do
    number = tonumber(number)
    if number >= first and number <= last and call('EXISTS', period_key(c.board, c.unit, number)) == 0 then gone[#gone + 1] = number end
  end
  if #gone == 0 then return end
  table.sort(gone)
  note_lost(c, clock, c.unit, table.concat(gone, ' '))
  break_holding(c, c.unit, gone[#gone], repaired)
  local past = state.past
  for _, number in ipairs(gone) do
    past = bump_past(past, c.unit, number) or past
  end
  if past ~= state.past then
    state.past = past
    call('HSET', state_key(c.board), 'past', past)
  end
  call('HSET', state_key(c.board), 'changed', clock.now_us)
end
