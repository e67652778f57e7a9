-- store_event: writes what an event changed in tables: salts, hashes, marks, the journal, and the buckets of records.
local function store_event(c)
  if next(c.salts) then store_salts(c) end
  if c.new_buckets then redis.call('HSET', c.board .. ':state', 'buckets', c.new_buckets) end
  store_marks(c)
end
