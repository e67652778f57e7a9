-- store_behind: notes whom a batch changed in archived periods, see put_behind.
local function store_behind(c)
  for _, behind in ipairs(c.behind) do
    local fields = {}
    for i, name in ipairs(behind.names) do
      local score, said = unpack(behind.changes[i])
      fields[2 * i - 1], fields[2 * i] = name, add_change(behind.noted[i + 1], c.now_us, score, said)
    end
    local why = c.revokes and 'revoked' or 'counted'
    put_behind(c.board, behind.period, fields, not behind.noted[1], c.now_us, why, behind.is_anew)
  end
end
