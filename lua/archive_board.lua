-- archive_board: takes a board of a template a step further on its way to the archive or back. Each step is done once, and doing it again does nothing.
--
-- | step | of a board that is | is then |
-- |---|---|---|
-- | archive | closed | archiving: upkeep waits until all its periods are over and archived |
-- | copy | archiving | copying: upkeep archives all time, since nothing changes any more |
-- | archived | copying | archived: scan_boards deletes its keys |
-- | delete | archived | archived: its keys are deleted once more |
-- | open | archiving | closed |
-- | open | archived, its keys deleted | opening: upkeep puts back what the archive has |
-- | opened | opening | what it was before |
--
-- @frees memory       it is for the deletion of keys, and writes an entry
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg name              text    its name, "level:42"
-- @arg step              text    see above
-- @returns OK                    how it is now
-- @fields board_entry
-- @returns NONE                  there is none
-- @returns REFUSED               it is in none of the states that the step is of; nothing was done
-- @fields board_entry

local call, key, going_key = redis.call, registry_key(board), registry_going_key(board)
local now_ms, at_once = now_in_ms()
local entry = call('HGET', key, name)
local made, starts, ends, going, title, phase = read_board_entry(entry)
if not made then return { 'NONE' } end
local state = board_state(now_ms, starts, ends, going, phase)
local STEPS = {
  archive = { closed = 'archiving', archiving = 'archiving', copying = 'copying', archived = 'archived' },
  copy = { archiving = 'copying' },
  archived = { copying = 'archived' },
  delete = { archived = 'archived' },
  open = { waiting = '', open = '', closed = '', archiving = '', archived = 'opening', opening = 'opening' },
  opened = { opening = '' },
}
local next_phase = STEPS[step][state]
if step == 'open' and state == 'archived' and call('ZSCORE', going_key, name) then next_phase = nil end
local reply = { next_phase and 'OK' or 'REFUSED' }
if next_phase then
  if next_phase ~= phase then
    entry = write_board_entry(made, starts, ends, going, title, next_phase, now_ms)
    call('HSET', key, name, entry)
  end
  if next_phase == 'archived' then
    call('ZADD', going_key, now_ms, name)
  elseif next_phase ~= '' then
    call('ZADD', registry_due_key(board), at_once, name)
  end
end
add_board_entry(reply, now_ms, entry)
return reply
