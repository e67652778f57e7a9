-- find_curated: who is curated on the board of a call that counts, see read_curated. The state's `listed` says so without a command, as long as it
-- begins with the instant of the last change by hand; what changes the list empties it. Where it does not, it is written with what the call counts, unless it would be long.
local function find_curated(c)
  local MOST = 4096 -- bytes
  local at, listed, clock = (c.said[c.stands.asked_at] or '') .. '\n', c.said[c.stands.asked_at + 1], { is_old = not c.layout }
  local is_listed = listed and string.sub(listed, 1, #at) == at
  if is_listed then
    clock.listed = {}
    for line in string.gmatch(string.sub(listed, #at + 1), '([^\n]*)\n') do
      clock.listed[#clock.listed + 1] = line
    end
  end
  local curated = read_curated(c.board, clock)
  if clock.listed and not is_listed then
    local text = at .. table.concat(clock.listed, '\n') .. (clock.listed[1] and '\n' or '')
    if #text <= MOST then c.new_listed = text end
  end
  curated.scores = {}
  return curated
end
