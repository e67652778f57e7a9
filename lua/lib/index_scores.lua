-- index_scores: brings what is kept beside a board up to date after members' scores went from `olds` to `news`: the order of equals
-- (":first" or ":last", places as by pack) and the distinct scores (":scores"). They come to be with their board; beside
-- one that was there before they were asked for, they would never be whole.
-- @include pack
local function index_scores(options, key, members, olds, news, arrivals, made)
  local ties = options.ties
  if ties and (made or redis.call('EXISTS', key .. ':' .. ties) == 1) then
    local set, gone = {}, {}
    for i = 1, #members do
      if news[i] == 0 then
        gone[#gone + 1] = members[i]
      else
        set[#set + 1] = string.format('%.17g', pack(news[i], arrivals[i], ties))
        set[#set + 1] = members[i]
      end
    end
    if #gone > 0 then redis.call('ZREM', key .. ':' .. ties, unpack(gone)) end
    if #set > 0 then redis.call('ZADD', key .. ':' .. ties, unpack(set)) end
  end
  if options.dense and (made or redis.call('EXISTS', key .. ':scores') == 1) then
    for i = 1, #members do
      if olds[i] ~= news[i] then
        local old, new = string.format('%.17g', olds[i]), string.format('%.17g', news[i])
        if news[i] ~= 0 then redis.call('ZADD', key .. ':scores', new, new) end
        if olds[i] ~= 0 and redis.call('ZCOUNT', key, old, old) == 0 then redis.call('ZREM', key .. ':scores', old) end
      end
    end
  end
end
