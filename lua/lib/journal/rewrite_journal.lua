-- rewrite_journal: takes events out of the journal. The rest of their entries is written anew, at its end: entries cannot be changed.
local function rewrite_journal(c)
  for _, rewritten in ipairs(c.rewritten) do
    redis.call('XDEL', journal_key(c.board), rewritten[1])
    if #rewritten[2] > 0 then redis.call('XADD', journal_key(c.board), '*', unpack(rewritten[2])) end
  end
end
