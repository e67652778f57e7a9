-- forgets: what an event of now that counts for a curated member notes in the state, see forget_stood: a function, since the state may be read later.
local function forgets(c, member)
  return function() return forget_stood(c.stood, { member }) or {} end
end
