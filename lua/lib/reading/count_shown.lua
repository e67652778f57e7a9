-- count_shown: how many members of the board that find_window found are shown. Notes the gaps that curated ones leave, see note_gaps, and whether
-- nobody is shown for a score.
local function count_shown(found, curated, lowest)
  note_gaps(curated, lowest)
  if not found.key then return 0 end
  local bound = lowest > 0 and string.format('%.17g', lowest) or '(0'
  local shown = redis.call('ZCOUNT', found.key, bound, '+inf') - #curated.gaps
  found.is_empty = shown == 0
  return shown + #curated.pins
end
