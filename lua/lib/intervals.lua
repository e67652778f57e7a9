-- intervals: how many members of a board lie in each interval of its scores.

-- MOST_INTERVALS: intervals of an answer, at most. Each costs two commands.
local MOST_INTERVALS = 100

-- octave_of: between which powers of two a distance from zero lies, as a number that grows with the distance. Those below zero are whole numbers.
local function octave_of(distance)
  local _, exponent = math.frexp(distance)
  return distance < 0 and -exponent or exponent
end

-- steps_between: into how many intervals each octave is divided, so that there are not too many between two distances from zero: a power of two, at
-- most 32.
local function steps_between(least, best)
  local octaves, steps = octave_of(best) - octave_of(least) + 1, 32
  while steps > 1 and octaves * steps > MOST_INTERVALS do
    steps = steps / 2
  end
  return steps
end

-- least_of: the least distance from zero of the interval in which one lies. An interval below zero mirrors one of whole numbers above it.
local function least_of(distance, steps)
  local _, exponent = math.frexp(distance)
  local width = 2 ^ (exponent - 1) / steps
  if distance >= 0 then return math.floor(distance / width) * width end
  width = math.max(width, 1)
  return 1 - (math.floor(-distance / width) + 1) * width
end

-- count_intervals: the intervals in which members are shown by their scores, the best first: a list of the best score of each, its least, and how many are
-- in it. `origin` is the score that stands for zero. The board counts them: nothing is kept for it, so they are right at any moment. Where a hidden member
-- has the best score or the least, it is that.
local function count_intervals(found, curated, origin, lowest)
  local call, key, gaps, intervals = redis.call, found.key, curated.gaps, {}
  local from = lowest > 0 and text_of(lowest) or '(0'
  local ends = call('ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  if not ends[2] then return intervals end
  local least, best = tonumber(ends[2]), tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])
  local steps, skipped, before = steps_between(least - origin, best - origin), 0, 0
  for i = 1, MOST_INTERVALS do
    local lower = i < MOST_INTERVALS and math.max(origin + least_of(best - origin, steps), least) or least
    local passed = call('ZCOUNT', key, string.format('%.17g', lower), '+inf')
    while gaps[skipped + 1] and gaps[skipped + 1] >= lower do
      skipped = skipped + 1
    end
    -- The last one of this interval, and the first one of the next.
    local ends_here = lower > least and call('ZREVRANGE', key, passed - 1, passed, 'WITHSCORES')
    local count, at = passed - skipped - before, #intervals
    if count > 0 then
      intervals[at + 1], intervals[at + 2], intervals[at + 3] = best, ends_here and tonumber(ends_here[2]) or least, count
    end
    before = before + count
    if not ends_here then break end
    best = tonumber(ends_here[4])
  end
  return intervals
end
