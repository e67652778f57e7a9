-- roll_rest: brings the rolling windows up to date with an event of now where count_now did not. `made` are the periods' boards that the event
-- made: the base board of now among them was there before if the window's state lists it, and so is gone.
local function roll_rest(c, member, delta, made)
  local rolled = math.max(c.added - #c.units, 0)
  if c.is_lone then
    rolled = math.floor((rolled - 1) / 2) * 2
    take_added(c, member, delta, #c.units + rolled + 1)
  end
  for w = rolled / 2 + 1, #c.windows do
    local window = c.windows[w]
    if is_remade(window, made) then
      c.lost[#c.lost + 1] = { window }
    elseif not c.refused[window.index] then
      roll_now(c, window, member, delta)
    end
  end
end
