//! The names of keys. Redis holds them for as long as a deployment lives, so they never change their meaning.
//!
//! A key begins with the prefix of its target: `eb:{site:board}` of a board, `eb:{site:board}:max:descending:6` of one that ranks values,
//! with its `score`, `order`, `decimals` and perhaps `:ties`, and `eb:{site}` of a site's activity log. `eb` is the
//! deployment's key prefix. The braces are a hash tag: all keys of a target lie on one node of a cluster. The scripts append the
//! rest, most names in `lua/lib/common/keys.lua`, others in one function or script:
//!
//! | key | type | holds | made by |
//! |---|---|---|---|
//! | `:minute:N` `:5-minutes:N` `:10-minutes:N` | sorted set | the scores of some minutes of UTC | `period_key` |
//! | `:season:N` | sorted set | the scores of a season | `period_key` |
//! | `:hour:N` `:day:N` `:week:N` `:month:N` `:year:N` `:all:0` | sorted set | the scores of a calendar period | `period_key` |
//! | `:window:NAME:N` | sorted set | the scores of a rolling window by period, of a decaying one by generation | `window_key` |
//! | `:state` | hash | the layout, the latest hour and day, the turns of ids, how rolling windows are, the plans of events of now, which past rankings are kept, what is counted and what other configurations counted, the mark that shows a loss | `state_key` |
//! | `:window:NAME:touched` | set | who was written while a rolling window is repaired | `touched_key` |
//! | `:window:NAME:scan` | hash | how far its upkeep is, and who is at it | `window_key` |
//! | `:window:NAME:past:N` | sorted set | a rolling window at the end of a past period; kept for an hour | `past_key` |
//! | `:window:NAME:past:N:scan` | hash | how far building it is | `past_key` |
//! | `:wanted` | sorted set | the past rankings that readers want | `wanted_key` |
//! | `:wanted:by` | hash | whose addresses want them | `wanted_by_key` |
//! | `:indexes:scan` | hash | how far upkeep is in building indexes | `indexes_scan_key` |
//! | `…:first` `…:last` of a scores' key | sorted set | its members by sort key: the order of ties | `index_key` |
//! | `…:distinct` `…:holders` of a scores' key | sorted set, hash | its distinct scores, and how many members have each | `index_key` |
//! | `…:metas` `…:instants` of a scores' key | hash | what stands beside a member's value, and when that happened | `metas_key`, `instants_key` |
//! | `…:actions` of a scores' key | hash | a member's counts and sums by action | `tally` |
//! | `…:refused` of a scores' key | string | events of new members that a full period refused | `count_refusals` |
//! | `:ids:SENDER:TURN` | set | ids of batches and events of browsers, servers and the queue's messages of either, two sets in turns | `ids_key` |
//! | `:undone:BUCKET` | hash | sequence numbers of undone actions, and those before them | `undone_key` |
//! | `:tracked:BUCKET:WHO` | hash | an actor's or visitor's tracked actions that can be undone | `tracked_key` |
//! | `:entries:ACTOR` | sorted set | what an actor did that cannot be undone, one by one | `entries_key` |
//! | `:once:UNIT:N`, `…:visitors:DAY` | set | digests of what counts once in a period, and who did it | `once_key` |
//! | `:salt:DAY` | string | the salt of a day's visitors; deleted a day after it | `salt_key` |
//! | `:visitors:DAY` | hash | a day's visitors whose actions counted once, and how many there were of each address and network | `visitors_key` |
//! | `:curated` | sorted set | hidden members with scores below 0, pinned ones with 1, 2, 3 … in their order | `curated_key` |
//! | `:moved` | hash | who was removed, and since when it is off or in again; prefixes after `\0`; what became another one, and how far that is | `moved_key` |
//! | `:removing` | hash | how far removals are that came within an hour, by the fields of `:moved` | `removing_key` |
//! | `:known` | sorted set | the items that the site's server announced, by when it did so last | `known_key` |
//! | `:newcomers` | hash | how many new members visitors, addresses and networks put on the board within an hour | `newcomers_key` |
//! | `:journal` | stream | what each call counted, by whom | `journal_key` |
//! | `:archive` | hash | how far archiving the board's periods is, and who is at it | `archive_key` |
//! | `:changed:UNIT`, `…:taken` | set | members whose totals changed in periods of a unit, and those that are being handed on | `changed_key` |
//! | `:totals` | hash | who hands totals on, and how far that is | `totals_key` |
//! | `…:left` of a period's key | sorted set | the period, moved aside to be archived | `copy_key` |
//! | `…:reset:AT` of a period's key | sorted set | what a reset took, moved aside to be archived | `copy_key` |
//! | `…:behind`, `…:behind:taken` of a period's key | hash | whom the period's archive is behind with, and what they had before | `behind_key` |
//! | `…:restored` of a period's key | sorted set | what was restored of it, before all of it is there | `restored_key` |
//! | `:journal:undone` | set | digests of what is in the journal and was undone since | `journal_undone_key` |
//!
//! Beside the activity log's keys lies `eb:{site}:audit`, the stream of what was done by hand (`audit_key`), `eb:{site}:facts`, the hash of what
//! items belong to (`facts_key`), `eb:{site}:sections`, the sorted set of the boards of sections (`sections_key`),
//! `eb:{site}:boards`, `…:names`, `…:going` and `…:scan`, the boards of templates that there are and how far deleting them is (`registry_key`),
//! `eb:{site}:usage`, the hash of what a quota is taken of (`usage_key`),
//! `eb:{site}:backlog` and `…:texts`, the sorted set and the hash of messages that the receiver of `forward` did not take (`backlog_key`),
//! and `eb:{site}:dead`, the stream of messages that cannot be counted (`dead_key`). Those of sites that are not known lie in `eb:unknown:dead`, on a
//! cluster in `eb:unknown{:}:dead`.
//!
//! On a cluster each actor has a home, one of a few of its site, whose keys begin with `eb:{7/site}`: `:intents`, the sorted set of what was decided
//! there and did not reach all of its targets, and `:intents:WHO`, the hash of what that is (`intents_key`), `:order`, the last order (`order_key`),
//! `:decided:DAY`, the hash of what was decided by the ids of events (`decided_key`), and `:done:BUCKET:WHO`, the hash of where actions count that
//! can be undone (`done_key`).
//!
//! Another Redis may hold the archive: `eb:archive:NAME`, a string for each object, and `eb:archive`, the sorted set of their names
//! (`crates/engine/src/store/objects.rs`).
//!
//! Of the demo that `npm start` adds, all of them begin with `eb:start:` in place of `eb:`, see `keys_of`.
//!
//! `eb:sites{:}:due`, the sorted set of when upkeep looks at sites that were made at run time, and `eb:sites{:}:changed`, the hash of when something
//! last changed there, are of all of these (`sites_keys`). So is `eb:sites{:}:freed`, a string: when the name of a deleted one was freed last.
//!
//! Two more keys are of no target: `eb:ready`, a string that `ready` writes for ten seconds, and `edgeboard:libraries`, the hash of when each library
//! of functions was used last (`crates/engine/src/store/libraries.rs`). On a cluster each node has its own, with a hash tag behind the name.

use ranking::counting::Target;
use ranking::site::Site;
use ranking::values::Values;

/// What the keys of sites that are not known begin with.
/// On a cluster they have a hash tag, which is no site's.
pub(super) fn unknown_key(key_prefix: &str, is_cluster: bool) -> String {
    if is_cluster { format!("{key_prefix}:unknown{{:}}") } else { format!("{key_prefix}:unknown") }
}

/// The sorted set of when upkeep looks at sites of run time, and the hash of when something last changed there. The hash tag is no site's.
pub(super) fn sites_keys(key_prefix: &str) -> [String; 2] {
    ["due", "changed"].map(|what| format!("{key_prefix}:sites{{:}}:{what}"))
}

/// When the name of a site of run time was freed last.
pub(super) fn freed_key(key_prefix: &str) -> String {
    format!("{key_prefix}:sites{{:}}:freed")
}

/// The key that shows whether Redis can be written to.
pub(super) fn ready_key(key_prefix: &str) -> String {
    format!("{key_prefix}:ready")
}

/// What every key of a site begins with, before the braces.
pub(super) fn keys_of(key_prefix: &str, site: &Site) -> String {
    format!("{}:", site.prefix(key_prefix, ':'))
}

/// What every key of a target begins with, which is the key that its scripts get.
pub(super) fn target_key(key_prefix: &str, site: &Site, target: Target) -> String {
    match target {
        Target::Board(board) => {
            let values = board.values.map(Values::key_part).unwrap_or_default();
            format!("{}{{{}:{}}}{values}", keys_of(key_prefix, site), site.name, board.name)
        }
        Target::ActivityLog => format!("{}{{{}}}", keys_of(key_prefix, site), site.name),
    }
}

/// What every key of a home of actors begins with. No name of a site has a slash.
pub(super) fn home_key(key_prefix: &str, site: &Site, home: u32) -> String {
    format!("{}{{{home}/{}}}", keys_of(key_prefix, site), site.name)
}

/// The site that a key is of; `""`: of none.
pub(super) fn site_of(key: &[u8]) -> &str {
    let tag = key.split(|byte| *byte == b'{').nth(1).unwrap_or_default();
    let name = tag.split(|byte| matches!(byte, b':' | b'}')).next().unwrap_or_default();
    let name = str::from_utf8(name).unwrap_or_default();
    name.split_once('/').map_or(name, |(_, name)| name)
}

/// The board that a key is of; `""`: of none.
pub(super) fn board_of(key: &str) -> &str {
    let tag = key.split(['{', '}']).nth(1).unwrap_or_default();
    tag.split_once(':').map_or("", |(_, board)| board)
}

/// Whether a key of a board holds the work of a person: who is hidden, pinned or removed.
pub(super) fn is_list(key: &str) -> bool {
    key.ends_with("}:curated") || key.ends_with("}:moved")
}

/// The hash of what a site uses of its quota, by the key of its activity log.
pub(super) fn usage_key(target_key: &str) -> String {
    format!("{target_key}:usage")
}

/// The hash of what is known of a target, by the target's key. Scripts name it too, in `state_key` of `lua/lib/common/keys.lua`.
pub(super) fn state_key(target_key: &str) -> String {
    format!("{target_key}:state")
}
