-- put_once: marks that an action counts no more in its period, in tables, or takes the mark away.
local function put_once(set, digest, is_marked)
  set.has[digest], set.changed[digest] = is_marked, true
end
