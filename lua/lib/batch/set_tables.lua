-- set_tables: sorted sets and hashes as tables. A key is read before anything is written, with one command for all members that are
-- wanted of it, and each changed one is written with one more. ties is 'first', 'last' or nil: the index of the order of ties
-- that goes with each sorted set.
local function set_tables(ties)
  local call, format = redis.call, string.format
  local known = {}

  -- Exact for integers to 2^53, and takes a fraction of the time of 17 digits.
  local function text_of(score) return format(score % 1 == 0 and score > -2 ^ 53 and score < 2 ^ 53 and '%d' or '%.17g', score) end
  -- A member's score is 0 where it is not in the set; sequences are the sequence numbers of the index.
  local function set_of(key)
    known[key] = known[key] or { key = key, wanted = {}, was = {}, scores = {}, sequences = {}, growth = 0 }
    return known[key]
  end
  local function want(set, member)
    if set.was[member] == nil then
      set.was[member], set.wanted[#set.wanted + 1] = 0, member
    end
  end
  local function load(set)
    local wanted = set.wanted
    if #wanted == 0 then return end
    local scores = call('ZMSCORE', set.key, unpack(wanted))
    local sort_keys = ties and call('ZMSCORE', set.key .. ':' .. ties, unpack(wanted))
    for i = 1, #wanted do
      local member, score = wanted[i], tonumber(scores[i] or 0)
      set.was[member], set.scores[member] = score, score
      if ties then
        local sort_key = score ~= 0 and sort_keys[i]
        if sort_key then set.is_indexed = true end
        set.sequences[member] = sort_key and unpack_sequence(tonumber(sort_key), score, ties) or 0
      end
    end
    set.wanted = {}
  end
  local function get(set, member)
    if not set.scores[member] then
      want(set, member)
      load(set)
    end
    return set.scores[member], set.sequences[member]
  end
  local function size(set)
    set.size = set.size or call('ZCARD', set.key)
    return set.size + set.growth
  end
  local function put(set, member, score, sequence)
    local old = set.scores[member] or get(set, member)
    if old == 0 and score ~= 0 then set.growth = set.growth + 1 end
    if old ~= 0 and score == 0 then set.growth = set.growth - 1 end
    set.scores[member] = score
    if ties then set.sequences[member] = score ~= 0 and sequence or 0 end
    set.changed = set.changed or {}
    set.changed[member] = true
  end

  -- Likewise for a set without indexes whose scores need not be read, since they do not depend on what they were.
  local function set_score(set, member, score)
    set.assigned = set.assigned or {}
    set.assigned[member] = score
  end

  -- The distinct scores that come, and those that nobody has any more.
  local function distinct_scores(set)
    local change, come, gone = {}, {}, {}
    for member in pairs(set.changed) do
      local old, new = set.was[member], set.scores[member]
      if old ~= new then
        change[old], change[new] = (change[old] or 0) - 1, (change[new] or 0) + 1
      end
    end
    change[0] = nil
    for score, holders in pairs(change) do
      local text = format('%.17g', score)
      if holders > 0 then
        come[#come + 1], come[#come + 2] = text, text
      elseif holders < 0 and call('ZCOUNT', set.key, text, text) + holders == 0 then
        gone[#gone + 1] = text
      end
    end
    return come, gone
  end
  -- What store will write of a set: reads what it must know for that. Answers whether that makes the key.
  local function plan(set, dense)
    if not set.changed then return false end
    set.come, set.remove = {}, {}
    local is_new = false
    for member in pairs(set.changed) do
      local score = set.scores[member]
      if score == 0 then
        if set.was[member] ~= 0 then set.remove[#set.remove + 1] = member end
      else
        is_new = is_new or set.was[member] == 0
        if score ~= set.was[member] then
          set.come[#set.come + 1] = text_of(score)
          set.come[#set.come + 1] = member
        end
      end
    end
    set.made = is_new and size(set) - set.growth == 0
    if ties then set.is_indexed = set.is_indexed or set.made or call('EXISTS', set.key .. ':' .. ties) == 1 end
    if dense and (set.made or call('EXISTS', set.key .. ':scores') == 1) then
      set.scores_come, set.scores_gone = distinct_scores(set)
    end
    return set.made
  end
  -- Answers whether it made the key of a set whose scores were assigned.
  local function store_assigned(set)
    local come, remove = {}, {}
    for member, score in pairs(set.assigned) do
      if score == 0 then
        remove[#remove + 1] = member
      else
        come[#come + 1], come[#come + 2] = text_of(score), member
      end
    end
    local added = #come > 0 and call('ZADD', set.key, unpack(come)) or 0
    local made = added > 0 and call('ZCARD', set.key) == added
    if #remove > 0 then call('ZREM', set.key, unpack(remove)) end
    return made
  end
  local function store(set)
    if set.assigned then return store_assigned(set) end
    if not set.changed then return false end
    local come, gone = set.scores_come, set.scores_gone
    -- A key that is emptied first would lose its expiry.
    if #set.come > 0 then call('ZADD', set.key, unpack(set.come)) end
    if #set.remove > 0 then call('ZREM', set.key, unpack(set.remove)) end
    if set.is_indexed then
      local keyed = {}
      for member in pairs(set.changed) do
        if set.scores[member] ~= 0 then
          keyed[#keyed + 1] = format('%.17g', pack_sort_key(set.scores[member], set.sequences[member], ties))
          keyed[#keyed + 1] = member
        end
      end
      if #keyed > 0 then call('ZADD', set.key .. ':' .. ties, unpack(keyed)) end
      if #set.remove > 0 then call('ZREM', set.key .. ':' .. ties, unpack(set.remove)) end
    end
    if come and #come > 0 then call('ZADD', set.key .. ':scores', unpack(come)) end
    if gone and #gone > 0 then call('ZREM', set.key .. ':scores', unpack(gone)) end
    return false
  end

  return {
    of = set_of,
    want = want,
    load = load,
    get = get,
    put = put,
    set_score = set_score,
    size = size,
    plan = plan,
    store = store,
    known = known,
  }
end
