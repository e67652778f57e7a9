-- bump_past: the state's past rankings after a late event in a period of a unit: those whose span holds the period get a new version,
-- and so are not right any more. nil when there is none. An entry is "name:unit:length:number:version".
local function bump_past(text, unit, number)
  local changed = false
  local bumped = string.gsub(text or '', '([^%s:]+:(%a):(%d+):(%d+)):(%d+)', function(entry, of, length, last, version)
    local is_in_span = of == unit and number <= tonumber(last) and number > tonumber(last) - tonumber(length)
    changed = changed or is_in_span
    return is_in_span and string.format('%s:%d', entry, version + 1) or nil
  end)
  return changed and bumped or nil
end
