-- add_scanned: appends to a reply, of some entries of a sorted set as ZSCAN answers them, the members that are shown and not pinned: each
-- with id, score and what orders it. Those of an order of ties hold sort keys. Answers their ids.
local function add_scanned(reply, entries, curated, lowest, is_packed)
  local listed = {}
  for i = 1, #entries, 2 do
    local member, order = entries[i], tonumber(entries[i + 1])
    local score = is_packed and not is_mark(member) and unpack_score(order) or order
    if not is_mark(member) and not curated.is_moved[member] and is_enough(score, lowest) then
      reply[#reply + 1] = member
      reply[#reply + 1] = string.format('%.17g', score)
      reply[#reply + 1] = string.format('%.17g', order)
      listed[#listed + 1] = member
    end
  end
  return listed
end
