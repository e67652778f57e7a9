-- count_alone: counts the only event of a call that asks where its member stands as record_event does. Answers its outcome, or an error; nil where
-- it takes a batch of one, see count_batch. `about` are the arguments that a plan follows from, and `event` is it as parse_events reads it.
local function count_alone(c, about, event)
  local when, id, delta, indexes = event[3], event[4], tonumber(event[2]), read_indexes(c.options) or {}
  c.at = when == '' and c.now_ms or c.now_ms - (tonumber(when) or -1)
  c.known_as = c.batch_id ~= '' and c.batch_id or id
  c.is_simple = c.has_all and (id == '' or c.batch_id == '' and not string.find(id, '/', 1, true)) and c.at <= c.now_ms
  if not (c.is_simple and c.is_usual and c.at >= c.same_from and delta and delta % 1 == 0) then return nil end
  if c.journal or indexes.policy or indexes.dense or string.find(event[5], '[:*]') then return nil end
  c.about, c.added, c.instant = about, 0, c.now_us
  c.is_planned = take_plan(c, c.stands.asked_at + 2)
  if c.moved then event[1] = moved_now(c, event[1]) end
  find_stand(c)
  c.batch, c.stands.delta, c.notes = { names = { event[1] } }, delta, nil
  if c.new_listed or c.stood ~= '' or c.stands.curated.members[1] then c.notes = note_stand end
  stand_before(c, { event[1] }, delta ~= 0)
  if c.options ~= '' and c.is_planned and is_new_there(c, event[1]) then return nil end
  if c.options == '' then c.options = nil end
  local reply = count_planned(c, event, delta)
  c.options = c.options or ''
  if type(reply) == 'string' then note_alone(c, event[1], delta, reply) end
  return reply
end
