-- add_neighbors: calls `append` with member, score and rank of those who stand around a member, itself among them: up to `around` on
-- either side. Only they are read, and room for the curated ones among them.
local function add_neighbors(found, curated, visible, member, standing, around, ranking, append)
  local from, to = math.max(1, standing.place - around), standing.place + around
  local room = around + #curated.gaps
  local at = standing.at and math.max(0, standing.at - room) or 0
  local last = standing.at and standing.at + room or to - #curated.pins + #curated.gaps - 1
  local head = { members = {}, scores = {} }
  if standing.at then
    head = read_order(visible.order, at, last, visible.is_packed)
  elseif last >= 0 then
    head = read_head(found, visible.ties, last + 1)
  end
  local shown, first = rank_head(head, curated, ranking, visible.lowest), 1
  if at > 0 then
    local own = 1
    while shown[own][1] ~= member do
      own = own + 1
    end
    first = standing.place - #curated.pins - own + 1
    local shift = ranking == 'dense' and standing.rank - shown[own][3] or first - 1
    -- Who is equal to the first one may stand above it, too.
    local top, best = shown[1][2], ranking == 'competition' and count_higher(found, curated, shown[1][2]) + 1
    for i = 1, #shown do
      local is_top = best and shown[i][2] == top
      shown[i][3] = is_top and best or shown[i][3] + shift
    end
  end
  add_page(curated, shown, first, from, to, append)
end
