-- note_facts: notes what items belong to. What is known of one is a text of lines: when that was written (milliseconds of the database),
-- its category, its author, the categories that it had before, and the authors; several have tabs between them, the last one stands first.
--
-- Writing the same again changes nothing, and what was written earlier replaces nothing.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg most              int     how many categories and authors of before are remembered of one
-- @arg progress          text    how far the database was read that says so; empty: it stays
-- @each item                     one that was described
-- @field id              text    its id
-- @field at              int     when, in milliseconds of the database; 0: it was deleted
-- @field category        text    its category; empty: none
-- @field author          text    its author's id; empty: none
-- @returns OK                    it is done

local key = facts_key(board)
for i = items, #ARGV, 4 do
  local known, at = redis.call('HGET', key, ARGV[i]), tonumber(ARGV[i + 1])
  local then_ms, category, author, categories, authors = string.match(known or '', '^(%d+)\n(.-)\n(.-)\n(.-)\n(.*)$')
  if at == 0 then at = then_ms and tonumber(then_ms) end
  if at and not (then_ms and tonumber(then_ms) > at) then
    categories = earlier_facts(categories, category, ARGV[i + 2], most)
    authors = earlier_facts(authors, author, ARGV[i + 3], most)
    local now = string.format('%d\n%s\n%s\n%s\n%s', at, ARGV[i + 2], ARGV[i + 3], categories, authors)
    if now ~= known then redis.call('HSET', key, ARGV[i], now) end
  end
end
if progress ~= '' then redis.call('HSET', key, '\n', progress) end
return { 'OK' }
