-- drop_members: removes the members c.members from a board, and from every index that was ever kept beside it. Notes in c whether any was
-- there, how many were, and some of them in c.seen. With c.is_dry it only counts them.
local function drop_members(c, key)
  local SEEN, call, members = 100, redis.call, c.members
  local scores, there, olds, news = call('ZMSCORE', key, unpack(members)), {}, {}, {}
  for i = 1, #members do
    if scores[i] then
      there[#there + 1], olds[#olds + 1], news[#news + 1] = members[i], tonumber(scores[i]), 0
      if #c.seen < SEEN and not c.seen[members[i]] then
        c.seen[members[i]], c.seen[#c.seen + 1] = true, members[i]
      end
    end
  end
  c.entries = c.entries + #there
  if c.is_dry then return end
  if #there > 0 then
    if c.is_dense then change_holders(c, key, olds, news) end
    call('ZREM', key, unpack(there))
    if c.changed ~= '' then mark_dropped(c, key, there) end
    c.is_changed = true
  end
  if c.archived ~= '' or c.clock.state.archived then note_dropped(c, key, scores) end
  forget_places(c, key, members)
  if c.policy then
    call('HDEL', metas_key(key), unpack(members))
    call('HDEL', instants_key(key), unpack(members))
  end
  if call('HDEL', key .. ':actions', unpack(members)) > 0 then c.is_changed = true end
end
