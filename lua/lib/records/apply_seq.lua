-- apply_seq: lets the seq of a tracked action be remembered, in tables, and answers its outcome: k where it changed nothing because all is
-- as it says. What comes later with an older seq is superseded all the same.
local function apply_seq(c, tracked, outcome)
  if not tracked.seq or not string.find('csnulb', outcome, 1, true) then return outcome end
  local bucket, ends_at, is_old = use_bucket(c)
  local hash = hash_of(c, tracked_key(c.board, bucket, tracked.who))
  put_field(hash, tracked.what .. '#', tracked.seq)
  keep_until(hash, ends_at + math.max(2 * c.actor_history, SEQ_KEPT), is_old)
  return string.find('clb', outcome, 1, true) and outcome or 'k'
end
