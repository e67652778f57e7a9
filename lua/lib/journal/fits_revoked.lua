-- fits_revoked: a function that tells whether a noted event is of the span [from_ms, until_ms) and one of those asked for. `asked` holds
-- kinds and values in turn: "who" ("actor:u7"), "what" (a digest of action and item), "member", or "visitor" (a fingerprint, whose name
-- is another one on each day and goes with the salt).
local function fits_revoked(c, from_ms, until_ms, asked, first)
  local wanted, fingerprints, visitors_of = { who = {}, what = {}, member = {} }, {}, {}
  for i = first, #asked, 2 do
    if asked[i] == 'visitor' then
      fingerprints[#fingerprints + 1] = string.match(asked[i + 1], '^[^.]*')
    else
      wanted[asked[i]][asked[i + 1]] = true
    end
  end
  local function visitors_on(at)
    local day = local_time(c, at).day
    if not visitors_of[day] then
      local salt, names = redis.call('GET', salt_key(c.board, day)), {}
      for _, fingerprint in ipairs(salt and fingerprints or {}) do
        names['visitor:' .. visitor_name(salt, fingerprint)] = true
      end
      visitors_of[day] = names
    end
    return visitors_of[day]
  end
  return function(noted)
    if noted.at < from_ms or noted.at >= until_ms then return false end
    if wanted.who[noted.who] or wanted.what[noted.what] or wanted.member[noted.member] then return true end
    return #fingerprints > 0 and visitors_on(noted.at)[noted.who] or false
  end
end
