-- what_of: what an action on an item is known by, as the worker names it (`what` in src/store/record.rs).
local function what_of(action, item)
  local ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  local digest, letters = redis.sha1hex(action .. '\0' .. item), {}
  for i = 1, 11 do
    local at = tonumber(string.sub(digest, 2 * i - 1, 2 * i), 16) % 64 + 1
    letters[i] = string.sub(ALPHABET, at, at)
  end
  return table.concat(letters)
end
