-- upgrade_layout: brings what layout 1 kept elsewhere into a target's state, and names the layout among its changes. Rolling
-- boards of layout 1 carry no marks, and so are repaired.
local function upgrade_layout(board, changes)
  local call = redis.call
  local sequence = call('GET', board .. ':sequence')
  if sequence then
    changes[#changes + 1], changes[#changes + 2] = 'sequence', sequence
  end
  local pinned, hidden = call('ZRANGE', board .. ':pinned', 0, -1, 'WITHSCORES'), call('SMEMBERS', board .. ':hidden')
  for i = 1, #pinned, 2 do
    call('ZADD', curated_key(board), pinned[i + 1], pinned[i])
  end
  for i = 1, #hidden do
    call('ZADD', curated_key(board), -1, hidden[i])
  end
  call('UNLINK', board .. ':sequence', board .. ':pinned', board .. ':hidden')
  changes[#changes + 1], changes[#changes + 2] = 'layout', '2'
end
