-- known_ids: gives the events that were seen before the outcome d, and answers the ids to remember.
--
-- An event is seen when its batch's id is, or what it is known by: its own id, or the batch's id and its place ("/7"). Of a whole
-- batch its id and the events' own are remembered, of a part what each event is known by. So a batch may be split, merged and
-- sent again. What is of the future remembers nothing. Events of a whole batch are asked for only while parts may be remembered.
local function known_ids(c)
  local batch, asked, event_of, remembered, first = c.batch, {}, {}, {}, {}
  if c.batch_id ~= '' and c.has_all and batch.is_one and not c.has_parts then
    return leave_out_known(c, { c.batch_id }, { 0 }, { c.batch_id })
  end
  for e = 1, batch.count do
    local id = batch.ids[e]
    if batch.outcomes[e] == 'c' then
      if c.batch_id ~= '' and not asked[1] then
        asked[1], event_of[1] = c.batch_id, 0
        if c.has_all then remembered[1] = c.batch_id end
      end
      -- The one event of a batch that this target counts, and its first.
      if id == '' and c.batch_id ~= '' then id = '/0' end
      local is_own = c.batch_id == '' or string.byte(id, 1) ~= 47
      if not is_own then id = c.batch_id .. id end
      local is_kept = is_own or not c.has_all
      if is_kept and string.find(id, '/', 1, true) then c.remembers_parts = true end
      if id ~= '' and first[id] then
        batch.outcomes[e] = 'd'
      elseif id ~= '' then
        first[id] = e
        if is_kept or c.has_parts then
          asked[#asked + 1], event_of[#asked + 1] = id, e
        end
        if is_kept then remembered[#remembered + 1] = id end
      end
    end
  end
  if #asked > 0 then return leave_out_known(c, asked, event_of, remembered) end
  return remembered
end
