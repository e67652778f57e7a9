-- mark_totals: notes that totals of members changed, so that they are handed on once more: those of members who are on the board no more as well.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg unit              text    the unit's code
-- @each member                   a member of a period; at least one
-- @field number          int     the period's number
-- @field id              text    the member's id
-- @returns OK                    it is done

local command = { 'SADD', changed_key(board, unit) }
for i = members, #ARGV, 2 do
  command[#command + 1] = string.format('%d:%s', tonumber(ARGV[i]), ARGV[i + 1])
end
redis.call(unpack(command))
return { 'OK' }
