-- drop_matching: removes who matches c.pattern from a board and from its counts by action, from where the scan of them is on. Answers where
-- it is then; empty at the end.
--
-- The cursor of a scan means nothing to another process, so with one the scan begins anew.
local function drop_matching(c, key, stage, scan)
  local call, EACH, ABSENT = redis.call, 500, 2
  local command, cursor, run = string.match(scan, '^(%a+) (%d+) ?(%w*)$')
  if not command or cursor ~= '0' and run ~= run_id() then
    command, cursor = 'ZSCAN', '0'
  end
  if cursor == '0' and call('EXISTS', key, key .. ':actions') == 0 then
    c.left = c.left - ABSENT
    return ''
  end
  repeat
    local of = command == 'ZSCAN' and key or key .. ':actions'
    local reply, members, has = call(command, of, cursor, 'MATCH', c.pattern, 'COUNT', EACH), {}, {}
    for i = 1, #reply[2], 2 do
      local member = reply[2][i]
      if not has[member] then
        has[member], members[#members + 1] = true, member
      end
    end
    if #members > 0 then
      c.members = members
      stage.drop(c, key, stage)
    end
    -- Looking at an entry costs a fifth of removing one; a rolling board asks all of its base boards.
    cursor, c.left = reply[1], c.left - EACH / 5 - #members * ((stage.length or 0) + 5)
    if cursor == '0' then
      if command == 'HSCAN' or c.is_dry then return '' end
      command = 'HSCAN'
    end
  until c.left <= 0
  return command .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end
