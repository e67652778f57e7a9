-- roll_rest: brings the rolling windows up to date with an event of now that made its member on some board. `made` are the periods' boards
-- that it made: the base board of now among them was there before if the window's state lists it, and so is gone.
local function roll_rest(c, plan, member, delta, made)
  local from = plan[10]
  local function skip(lines)
    for _ = 1, lines do
      from = string.find(c.text, '\n', from, true) + 1
    end
  end
  skip(#c.units)
  for _, window in ipairs(c.windows) do
    if is_remade(window, made) then
      c.lost[#c.lost + 1] = { window }
      skip(3)
    elseif c.refused[window.index] then
      skip(3)
    else
      from = roll_now(c, window, from, member, delta)
    end
  end
end
