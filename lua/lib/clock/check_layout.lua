-- check_layout: the error that refuses a state of an unknown layout; nil when it is known, or when there is none yet.
local function check_layout(layout)
  if not layout or layout == '2' then return nil end
  return redis.error_reply('LAYOUT ' .. layout .. ' is the layout of the keys in this Redis; this version of edgeboard knows layout 2')
end
