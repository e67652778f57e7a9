-- known_ids: gives the events that were seen before the outcome d.
--
-- An event is seen when its batch's id is, or what it is known by, which batch.known_by tells: its own id, or the batch's id and its place
-- ("b/7"). So a batch may be split, merged and sent again. Events of a whole batch are asked for only while parts may be remembered.
-- batch.repeats tells whether an event is there twice, see count_entries.
local function known_ids(c)
  local batch, asked, event_of, seen, known_by = c.batch, {}, {}, {}, {}
  if c.batch_id ~= '' and c.has_all and batch.is_one and not c.has_parts then return leave_out_known(c, { c.batch_id }, { 0 }) end
  batch.known_by = known_by
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then
      local id = batch.ids[e]
      if c.batch_id ~= '' and not asked[1] then
        asked[1], event_of[1] = c.batch_id, 0
      end
      -- The one event of a batch that this target counts, and its first.
      if id == '' and c.batch_id ~= '' then id = '/0' end
      local is_own = c.batch_id == '' or string.byte(id) ~= 47
      if not is_own then id = c.batch_id .. id end
      local is_named = is_own or not c.has_all
      if is_named and string.find(id, '/', 1, true) then c.asks_parts = true end
      known_by[e] = id
      if id ~= '' and seen[id] then
        batch.repeats = true
      elseif id ~= '' and (is_named or c.has_parts) then
        asked[#asked + 1], event_of[#asked + 1] = id, e
      end
      seen[id] = true
    end
  end
  if #asked > 0 then leave_out_known(c, asked, event_of) end
end
