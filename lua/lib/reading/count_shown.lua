-- count_shown: how many members of the board that find_window found are shown. Notes the gaps that curated ones leave, see note_gaps.
local function count_shown(found, curated, lowest)
  note_gaps(curated, lowest)
  if not found.key then return 0 end
  local bound = lowest > 0 and string.format('%.17g', lowest) or '(0'
  return redis.call('ZCOUNT', found.key, bound, '+inf') - #curated.gaps + #curated.pins
end
