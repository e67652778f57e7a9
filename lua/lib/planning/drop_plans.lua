-- drop_plans: drops the plans of a target. Who changes a field of the state that they follow from and do not begin with calls it: what is counted
-- and since when, the generation of marks, the options, what was reset or removed, and how ids are remembered.
local function drop_plans(board) redis.call('HDEL', board .. ':state', 'boards:browser', 'boards:server', 'boards:queue') end
