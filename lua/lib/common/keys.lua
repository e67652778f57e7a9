-- keys: the names of keys, each made by one function. crates/engine/src/store/keys.rs lists what they hold.

-- period_key: the key of the sorted set that holds one period of a board.
local function period_key(board, unit, number) return board .. ':' .. unit_of(unit) .. ':' .. text_of(number) end

-- number_of_key: the number of the period of a unit whose sorted set has a key; nil where it is another one's.
local function number_of_key(board, unit, key)
  local number = tonumber(string.match(key, ':' .. unit_of(unit) .. ':(%-?%d+)$') or nil)
  return number and key == period_key(board, unit, number) and number or nil
end

-- actions_key: the hash of the counts by action of a board's members.
local function actions_key(key) return key .. ':actions' end

-- refused_key: the number of events of new members that a full period refused.
local function refused_key(key) return key .. ':refused' end

-- instants_key: the hash of when the values of a board's members happened (milliseconds), where the latest counts.
local function instants_key(key) return key .. ':instants' end

-- metas_key: the hash of what stands beside the values of a board's members, as JSON.
local function metas_key(key) return key .. ':metas' end

-- window_key: the key of something of a rolling or decaying window: the sorted set of a period or generation (by its number),
-- its 'state', its 'lock'.
local function window_key(board, window, what) return board .. ':window:' .. window .. ':' .. what end

-- past_key: the sorted set of a rolling window as it was at the end of a past period. It is built when it is asked for.
local function past_key(board, window, number) return window_key(board, window, 'past:' .. number) end

-- tracked_key: the key of the hash of tracked actions, by the bucket of time in which they were recorded. `who` is an actor
-- ("actor:u7") or a visitor ("visitor:…").
local function tracked_key(board, bucket, who) return board .. ':tracked:' .. text_of(bucket) .. ':' .. who end

-- tracked_pattern: what the keys of all actors' tracked actions match, for SCAN.
local function tracked_pattern(board) return string.gsub(board, '[%*%?%[%]%\\]', '\\%0') .. ':tracked:*:actor:*' end

-- once_visitors_key: the key of the set of what a day's visitors did, beside a set of what others did, see once_key.
local function once_visitors_key(key, of_day) return key .. ':visitors:' .. text_of(of_day) end

-- once_key: the key of the set of what was done in a period that counts only once in it. Visitors are others on the next day, so
-- theirs lie in one for each day, `of_day`.
local function once_key(board, unit, number, of_day)
  local key = board .. ':once:' .. (unit == 'a' and 'ever' or unit_of(unit)) .. ':' .. text_of(number)
  return of_day and once_visitors_key(key, of_day) or key
end

-- undone_key: the key of the hash of sequence numbers of undone actions and those before them, by the bucket of the undo.
local function undone_key(board, bucket) return board .. ':undone:' .. text_of(bucket) end

-- salt_key: the key of the salt of a day's visitors.
local function salt_key(board, day) return board .. ':salt:' .. text_of(day) end

-- visitors_key: the hash of a day's visitors whose actions counted once, and how many there were of each address and network.
local function visitors_key(board, day) return board .. ':visitors:' .. text_of(day) end

-- state_key: the hash of what is known of a target: its layout, the latest hour and day, its rolling windows.
local function state_key(board) return board .. ':state' end

-- ids_key: the set of the ids of a class ("browser", "server", "queued-browser", "queued-server"; of earlier versions "queue"), by its turn.
local function ids_key(board, sender, turn) return board .. ':ids:' .. sender .. ':' .. turn end

-- curated_key: the sorted set of hidden members (score -1) and pinned ones (1 and above, in their order).
local function curated_key(board) return board .. ':curated' end

-- touched_key: the set of members that were written while a rolling window is being repaired.
local function touched_key(board, window) return window_key(board, window, 'touched') end

-- index_key: the key of an index of a board: first, last, distinct or holders. generation is that of the state's indexes.
local function index_key(key, index, generation) return key .. ':' .. index .. (generation == '0' and '' or ':' .. generation) end

-- copy_keys: the keys of what was moved aside: a period's sorted set, its orders of ties, and its counts by action.
local function copy_keys(key) return { key, index_key(key, 'first', '0'), index_key(key, 'last', '0'), actions_key(key) } end

-- scan_key: the hash of how far upkeep is in building a board.
local function scan_key(key) return key .. ':scan' end

-- wanted_key: the sorted set of the past rankings that readers want and upkeep is to build, by the instant (milliseconds).
local function wanted_key(board) return board .. ':wanted' end

-- wanted_by_key: the hash of who wants them: the digest of an address by what it wants.
local function wanted_by_key(board) return board .. ':wanted:by' end

-- indexes_scan_key: the hash of how far upkeep is in looking for indexes that boards lack.
local function indexes_scan_key(board) return board .. ':indexes:scan' end

-- moved_key: the hash of the members that a board does not count, and of prefixes of such, see find_moved.
local function moved_key(board) return board .. ':moved' end

-- removing_key: the hash of how far removals are, by the fields of moved_key.
local function removing_key(board) return board .. ':removing' end

-- known_key: the sorted set of the items that the site's server announced, by when it did so last (seconds), see announce.
local function known_key(board) return board .. ':known' end

-- newcomers_key: the hash of how many new members a visitor, an address or a network put on a board within an hour.
local function newcomers_key(board) return board .. ':newcomers' end

-- journal_key: the stream of what was counted, where the site keeps one.
local function journal_key(board) return board .. ':journal' end

-- journal_undone_key: the set of what is in the journal and was undone since, see note_undone.
local function journal_undone_key(board) return board .. ':journal:undone' end

-- audit_key: the stream of what was done by hand on a site.
local function audit_key(site) return site .. ':audit' end

-- entries_key: the sorted set of what an actor did that cannot be undone, one by one, by its instant, see store_entries.
local function entries_key(board, actor) return board .. ':entries:' .. actor end

-- intents_key: the sorted set of what was decided at a home and did not reach all of its targets, as far as the home knows: "order who", by the order.
-- With `who` the hash of what somebody did among that, by its order, see decide.
local function intents_key(home, who) return home .. ':intents' .. (who and ':' .. who or '') end

-- done_key: the hash of where what somebody did in a bucket counted, by action and item, see decide.
local function done_key(home, bucket, who) return home .. ':done:' .. text_of(bucket) .. ':' .. who end

-- order_key: the last order that a home gave.
local function order_key(home) return home .. ':order' end

-- decided_key: the hash of what was decided at a home on a day (since 1970): "order instant refused …" by the id of an event, and
-- the last order of the day.
local function decided_key(home, day) return home .. ':decided:' .. text_of(day) end

-- dead_key: the stream of messages that cannot be counted, of a site, or of those that are not known.
local function dead_key(home) return home .. ':dead' end

-- backlog_key: the sorted set of messages that the receiver of a site's `forward` did not take, by their instants (milliseconds); and the hash of
-- their texts, see backlog.
local function backlog_key(home) return home .. ':backlog' end

local function backlog_texts_key(home) return home .. ':backlog:texts' end

-- archive_key: the hash of what is remembered of archiving a board's periods, see archive.
local function archive_key(board) return board .. ':archive' end

-- taken_key: what was taken of changed_key and of behind_key, and is being handed on.
local function taken_key(key) return key .. ':taken' end

-- changed_key: the set of members whose totals changed in periods of a unit, as "number:member", see taken_key.
local function changed_key(board, unit) return board .. ':changed:' .. unit_of(unit) end

-- totals_key: the hash of what is remembered of handing totals on, see totals.
local function totals_key(board) return board .. ':totals' end

-- totals_fields: the fields of it that tell of a unit who hands its totals on, when that one did something last, what the last chunk's number was, and when
-- the run began.
local function totals_fields(unit) return unit .. ':owner', unit .. ':at', unit .. ':seq', unit .. ':begun' end

-- copy_key: the sorted set of what of a period was moved aside under a name: "left" is to be archived, and then forgotten;
-- "reset:1795176000123" was taken by a reset at that instant (milliseconds).
local function copy_key(key, name) return key .. ':' .. name end

-- behind_key: the hash of the members whose changes an archived period's archive does not have yet, see put_behind and taken_key.
local function behind_key(key) return key .. ':behind' end

-- restored_key: the sorted set of what the archive has of a period, before it becomes the period's own.
local function restored_key(key) return key .. ':restored' end

-- facts_key: the hash of what a site's items belong to, see note_facts.
local function facts_key(board) return board .. ':facts' end

-- sections_key: the sorted set of the boards of sections that a site has, by when they were made (seconds).
local function sections_key(board) return board .. ':sections' end

-- registry_key: the hash of the boards of templates that a site has, by name, see write_board_entry.
local function registry_key(board) return board .. ':boards' end

-- registry_names_key: the sorted set of their names, in the order of these.
local function registry_names_key(board) return board .. ':boards:names' end

-- registry_going_key: the sorted set of those that are being deleted, by since when (milliseconds).
local function registry_going_key(board) return board .. ':boards:going' end

-- registry_scan_key: the hash of how far deleting their keys is, and who is at it, see scan_boards.
local function registry_scan_key(board) return board .. ':boards:scan' end

-- registry_due_key: the sorted set of when upkeep looks at boards of templates next, see enter_boards.
local function registry_due_key(board) return board .. ':boards:due' end
