-- undone_digest: names an action that was done and undone: when it was recorded (milliseconds), its sequence number, what and by whom.
local function undone_digest(recorded, sequence, what, who)
  return string.sub(redis.sha1hex(table.concat({ recorded, string.format('%d', sequence), what, who }, ' ')), 1, 20)
end
