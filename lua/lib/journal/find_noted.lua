-- find_noted: the next events of the journal that are to be taken back: of the span and of who or what is asked for. Looks at some more
-- entries, and answers the place to go on from, "from last"; nil at the end. c.rewritten holds, by the id of an entry, what else is in it.
local function find_noted(c, ask, place)
  local call, key, found, looked, EACH = redis.call, journal_key(c.board), {}, 0, 20
  local from, last = string.match(place, '^(%S+) (%S+)$')
  c.rewritten = {}
  while looked < ask.entries do
    local page = call('XRANGE', key, from, last, 'COUNT', EACH)
    for _, entry in ipairs(page) do
      local rest, has_any = {}, false
      for i = 1, #entry[2], 2 do
        local noted = parse_noted(entry[2][i], entry[2][i + 1])
        if noted and ask.fits(noted) then
          has_any, found[#found + 1] = true, noted
        else
          rest[#rest + 1], rest[#rest + 2] = entry[2][i], entry[2][i + 1]
        end
      end
      if has_any then c.rewritten[#c.rewritten + 1] = { entry[1], rest } end
      looked, from = looked + #entry[2] / 2, '(' .. entry[1]
    end
    if #page < EACH then return found, nil end
  end
  return found, from .. ' ' .. last
end
