-- earlier_facts: the texts that something had before, with tabs between them, the last one first. One that it has again is none of them.
local function earlier_facts(earlier, before, now, most)
  if not before or before == now then return earlier or '' end
  local texts = {}
  for text in string.gmatch(before .. '\t' .. earlier, '[^\t]+') do
    if text ~= now and (text ~= before or #texts == 0) and #texts < most then texts[#texts + 1] = text end
  end
  return table.concat(texts, '\t')
end
