//! The query parameters of all routes.

/// A query parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub required: bool,
    /// JSON Schema.
    pub schema: &'static str,
    pub about: &'static str,
}

const OPTIONAL: bool = false;
const REQUIRED: bool = true;

const TEXT: &str = r#"{"type":"string"}"#;
const FLAG: &str = r#"{"enum":["0","1"]}"#;
const NUMBERED_FLAG: &str = r#"{"type":"integer","minimum":0,"maximum":1,"default":0}"#;
const OFF: &str = r#"{"type":"string","enum":["0","1"],"default":"0"}"#;
const ON: &str = r#"{"type":"string","enum":["0","1"],"default":"1"}"#;
const PER: &str = r#"{"type":"integer","minimum":1,"maximum":100}"#;

/// Declares parameters with their names in the address, schemas and meanings.
macro_rules! parameters {
    ($($constant:ident $name:literal $required:ident $schema:tt $about:literal)*) => {
        $(pub const $constant: Parameter = Parameter { name: $name, required: $required, schema: $schema, about: $about };)*
    };
}

parameters! {
    ACTION "action" REQUIRED TEXT
        "a public action of the site"
    ITEM "item" REQUIRED TEXT
        "the item's id"
    ACTOR "actor" OPTIONAL TEXT
        "who acts"
    ID "id" OPTIONAL TEXT
        "makes the event safe to send again"
    STANDING "standing" OPTIONAL TEXT
        "a ranking, as `board/window`: the ranks of the events' members there, before and after"
    LIMIT "limit" OPTIONAL r#"{"type":"integer","minimum":1,"default":10}"#
        "entries on the page, up to the board's `limit`"
    OFFSET "offset" OPTIONAL r#"{"type":"integer","minimum":0,"default":0}"#
        "entries before the page; `offset` + `limit` is at most the board's `limit`, and 100,000 where its snapshots have all members"
    PERIOD "period" OPTIONAL TEXT
        "a period's id, such as `2026-11-20` of `day`; the current one by default"
    KNOWN "details" OPTIONAL FLAG
        "1: show what is known of each member; the board's `details` by default"
    COUNTS "actions" OPTIONAL FLAG
        "1: show how often each member got each action, on boards with `breakdown`"
    FROM_SCORE "from_score" OPTIONAL TEXT
        "a score: begin with the first member that has at most that, behind the pinned ones"
    EXCLUDE "exclude" OPTIONAL TEXT
        "a member that is left out, such as the page that is being read"
    CATEGORY "category" OPTIONAL TEXT
        "only items of this category"
    TAG "tag" OPTIONAL TEXT
        "only items with this tag"
    AUTHOR "author" OPTIONAL TEXT
        "only items of this author"
    PUBLISHED_WITHIN "published_within" OPTIONAL r#"{"type":"string","pattern":"^[0-9]{1,4}[hd]$"}"#
        "only items that were published within this time, such as `12h` or `7d`"
    PER_CATEGORY "per_category" OPTIONAL PER
        "at most so many items of one category"
    PER_AUTHOR "per_author" OPTIONAL PER
        "at most so many items of one author"
    TITLE "title" OPTIONAL r#"{"type":"string","minLength":1,"maxLength":100}"#
        "what it is called instead of board and window"
    LANG "lang" OPTIONAL r#"{"type":"string","pattern":"^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$","maxLength":35,"default":"en"}"#
        "the language of its texts and numbers: de, fr, es, ja or ar, else English; and the side where rows begin, which without it is that where most names do"
    THEME "theme" OPTIONAL r#"{"type":"string","enum":["auto","light","dark"],"default":"auto"}"#
        "its colours; what the reader prefers by default"
    WIDTH "width" OPTIONAL r#"{"type":"integer","minimum":240,"maximum":1000,"default":400}"#
        "pixels"
    LIVE_LIMIT "limit" OPTIONAL r#"{"type":"integer","minimum":1,"default":10}"#
        "entries, which are rounded up to 10, 30, 100 or the board's `limit`"
    AROUND "around" OPTIONAL r#"{"type":"integer","minimum":0,"maximum":50,"default":0}"#
        "neighbours on either side"
    NEXT "cursor" OPTIONAL TEXT
        "`next` of the page before; the first page by default"
    SCORE "score" OPTIONAL r#"{"type":"number"}"#
        "a score with at most six decimals, whose rank is asked for; this or `rank`"
    RANK "rank" OPTIONAL r#"{"type":"integer","minimum":1}"#
        "a rank, whose score is asked for; this or `score`"
    PAGE "limit" OPTIONAL r#"{"type":"integer","minimum":1,"maximum":100,"default":50}"#
        "entries on the page"
    FROM "from" OPTIONAL TEXT
        "the id of the first period, or the `next` of the page before; by default 29 before the last"
    TO "to" OPTIONAL TEXT
        "the id of the last period; the current one by default"
    UNIT "by" OPTIONAL r#"{"type":"string","enum":["hour","day","week","month","year","all"]}"#
        "the periods, of those that the board counts; by default the window's"
    WITH_RANK "rank" OPTIONAL NUMBERED_FLAG
        "1: also the member's rank"
    WITH_ACTIONS "actions" OPTIONAL NUMBERED_FLAG
        "1: also what the member did, by action, on boards with `breakdown`"
    BOARDS "boards" REQUIRED TEXT
        "1 to 20 rankings, as `board/window`, separated by commas"
    BY "by" OPTIONAL TEXT
        "who does it, for the audit log"
    DRY_RUN "dry_run" OPTIONAL OFF
        "1: only answer what would be done"
    DAYS "days" OPTIONAL r#"{"type":"integer","minimum":1}"#
        "days to look at, up to the site's `actor_history`"
    DETAILS "details" OPTIONAL NUMBERED_FLAG
        "1: what can be undone, one by one instead of by day"
    DETAILS_LIMIT "limit" OPTIONAL r#"{"type":"integer","minimum":1,"maximum":100,"default":50}"#
        "entries on a page of details"
    DETAILS_AFTER "after" OPTIONAL TEXT
        "the `next` of the page of details before"
    KEEP_OFF "keep_off" OPTIONAL ON
        "0: let events that come later count again"
    PREFIX "prefix" REQUIRED TEXT
        "what the members' ids begin with"
    CURSOR "cursor" OPTIONAL TEXT
        "where to go on: the `cursor` of the answer before"
    RESET_WINDOW "window" OPTIONAL TEXT
        "one window of the board; without it all of them"
    REBUILT_WINDOW "window" OPTIONAL TEXT
        "one rolling window of the board; without it all of them"
    FROZEN_WINDOW "window" REQUIRED TEXT
        "a calendar or rolling window of the board"
    FROZEN_PERIOD "period" REQUIRED TEXT
        "the id of a period that is over, such as `2026-11-20` of `day`"
    RESET_AT "reset_at" OPTIONAL r#"{"type":"string","format":"date-time"}"#
        "what the reset took of the `period` that was then: its `reset_at`"
    LISTED_BOARD "board" OPTIONAL TEXT
        "whose keys these are"
    UNCONFIGURED_PART "part" OPTIONAL TEXT
        "of that board, as the list tells it; all parts where it is left out"
    MADE "limit" OPTIONAL r#"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#
        "boards on the page"
    AFTER_BOARD "cursor" OPTIONAL TEXT
        "what the page before says as `next`"
    SITES "limit" OPTIONAL r#"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#
        "sites on the page"
    AFTER_SITE "cursor" OPTIONAL TEXT
        "what the page before says as `next`"
    FROM_PLACE "cursor" OPTIONAL TEXT
        "the `cursor` of the last line of kind `next` that came; from the beginning by default"
    UNCONFIGURED_BOARD "board" REQUIRED TEXT
        "whose keys these are"
    AUDIT_LIMIT "limit" OPTIONAL r#"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#
        "entries, the latest first"
    LETTERS "limit" OPTIONAL r#"{"type":"integer","minimum":1,"maximum":100,"default":100}"#
        "letters on the page"
    AFTER_LETTER "after" OPTIONAL TEXT
        "what the page before says as `next`"
    UNKNOWN "unknown" OPTIONAL FLAG
        "`1`: the messages that name no site that is known, for who has the token of all sites"
    HOURS "hours" OPTIONAL r#"{"type":"integer","minimum":1,"maximum":2160,"default":24}"#
        "how far to look back"
}

/// Those of a page of a ranking.
pub const RANKING: &[Parameter] =
    &[LIMIT, OFFSET, PERIOD, KNOWN, COUNTS, FROM_SCORE, EXCLUDE, CATEGORY, TAG, AUTHOR, PUBLISHED_WITHIN, PER_CATEGORY, PER_AUTHOR];

/// And a title.
pub const RENDERED: &[Parameter] = &joined::<{ RANKING.len() + 1 }>(RANKING, &[TITLE]);

/// And how a page for a frame looks.
pub const FRAME: &[Parameter] = &joined::<{ RENDERED.len() + 2 }>(RENDERED, &[LANG, THEME]);

/// And how wide a picture is.
pub const PICTURE: &[Parameter] = &joined::<{ FRAME.len() + 1 }>(FRAME, &[WIDTH]);

const fn joined<const N: usize>(first: &[Parameter], rest: &[Parameter]) -> [Parameter; N] {
    let mut all = [rest[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < first.len() { first[i] } else { rest[i - first.len()] };
        i += 1;
    }
    all
}
