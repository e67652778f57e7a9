-- add_page: calls `append` with member, score and rank of each place from `from` to `to`, counted from 1: the pinned ones, and then
-- those that are `shown` behind them, of whom the first has the place `first` behind the pinned.
local function add_page(curated, shown, first, from, to, append)
  local pins = curated.pins
  for place = from, math.min(to, #pins) do
    append(pins[place], curated.scores[pins[place]] or 0, place)
  end
  for place = math.max(from, #pins + 1), to do
    local entry = shown[place - #pins - first + 1]
    if entry then append(unpack(entry)) end
  end
end
