-- is_same_page: puts a digest of the page that a reply tells behind its version, which begin_reply put into its eleventh field, and answers whether
-- the reader has just that page: something was counted that does not show on it. It is made for who has a page, and so may ask again.
local function is_same_page(reply, known)
  if reply[11] == '' or known == '' then return false end
  local page = string.sub(redis.sha1hex(table.concat(reply, '\n', 3, 10) .. '\n' .. table.concat(reply, '\n', 12)), 1, 16)
  reply[11] = reply[11] .. '/' .. page
  return string.match(known, '/(.*)$') == page
end
