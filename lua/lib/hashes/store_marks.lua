-- store_marks: writes the hashes and the marks of what counts once that were changed in tables, and the journal.
local function store_marks(c)
  for _, hash in ipairs(c.hash_list) do
    store_hash(c, hash)
    c.is_begun = true
  end
  for _, set in pairs(c.once_sets) do
    store_once(c, set)
  end
  if c.journal then store_journal(c) end
end
