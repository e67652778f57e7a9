-- take_out: takes a noted event back, in tables, and forgets what is remembered of it: so its action can be done anew.
local function take_out(c, entry)
  local noted = entry.tracked
  entry.undoes = true
  want_recorded(c, entry)
  count_entry(c, entry)
  if noted.verb == 'r' then
    local record, hash = find_tracked(c, noted.who, noted.what, 2)
    if record and string.match(record, '^done,(%d+)') == noted.recorded then put_field(hash, noted.what, false) end
  end
  local set, digest = once_mark(c, noted, noted.at, noted.who)
  if set and set.has[digest] then put_once(set, digest, false) end
  return 'c'
end
