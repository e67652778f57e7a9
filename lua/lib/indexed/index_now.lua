-- index_now: counts one event of now as planned on a board with an order of ties or with counts by action, or on the activity log: reads each
-- key once, and then writes it. Answers its outcome; nil where the event or a key is not as usual: nothing was changed then.
--
-- c.is_begun says that something was counted: what fails then is of unknown outcome.
local function index_now(c, plan, member, delta, _, id, action)
  local call, state = redis.call, c.board .. ':state'
  local commands = delta > 0 and read_indexed(c, plan, member, delta, action)
  if not commands then return nil end
  if id ~= '' then
    local ids = c.board .. ':ids:' .. c.sender .. ':'
    local key, was_known = ids .. plan[5], call('SISMEMBER', ids .. plan[4], id) == 1
    if call('SADD', key, id) == 0 or was_known then return 'd' end
    c.id_key = key
    if c.now_ms % 64 == 0 then c.turns = key end
  end
  local fields = plan[6] == '' and {} or { 'changed', c.now_us }
  if plan[6] ~= '' and plan[6] ~= '-' then
    fields[#fields + 1], fields[#fields + 2] = 'sequence', string.format('%d', c.sequence)
  end
  if c.new_plan then
    fields[#fields + 1], fields[#fields + 2] = c.plan_field, c.new_plan
  end
  if fields[1] then call('HSET', state, unpack(fields)) end
  for i = 1, #commands do
    call(unpack(commands[i]))
    c.is_begun = true
  end
  return 'c'
end
