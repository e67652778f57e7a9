-- scrub_journal: forgets in some more of the journal who did what the actor that is erased did; on a target of actors, that it was done.
-- Answers the place to go on from, see find_noted; nil when none is left.
local function scrub_journal(c, place)
  local who = 'actor:' .. c.actor
  local function fits(noted) return noted.who == who end
  local found, next_place = find_noted(c, { entries = 500, fits = fits }, place)
  rewrite_journal(c)
  local noted = {}
  for i = 1, c.has_actors and 0 or #found do
    local text = found[i].text
    noted[#noted + 1], noted[#noted + 2] = found[i].member, string.sub(text, 1, #text - #who) .. 'nobody:-'
  end
  if #noted > 0 then redis.call('XADD', journal_key(c.board), '*', unpack(noted)) end
  return next_place
end
