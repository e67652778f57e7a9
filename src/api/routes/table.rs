//! The table of routes.

use super::{Access, Answer, Cache, Endpoint, ExportForm, Form, Method, Parameter, Route, SiteEndpoint};
use crate::api::problem::Code;
use crate::app::count::EventCode;
use crate::app::curation::List;
use crate::app::items::Kind;

/// Problems of a batch that is refused whole, and of a bare event that no board takes.
const EVENTS: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::InvalidParameter,
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::Event(EventCode::TooManyEvents),
    Code::Event(EventCode::UnknownField),
    Code::Event(EventCode::InvalidAction),
    Code::Event(EventCode::UnknownAction),
    Code::Event(EventCode::InvalidItem),
    Code::Event(EventCode::InvalidActor),
    Code::Event(EventCode::InvalidVisitor),
    Code::Event(EventCode::InvalidAgo),
    Code::Event(EventCode::InvalidAt),
    Code::Event(EventCode::InvalidUndo),
    Code::Event(EventCode::InvalidCount),
    Code::Event(EventCode::InvalidValue),
    Code::Event(EventCode::InvalidMeta),
    Code::Event(EventCode::InvalidSeq),
    Code::Event(EventCode::UndoNotPossible),
    Code::Event(EventCode::SeqMissing),
    Code::Event(EventCode::InvalidId),
    Code::Event(EventCode::AtInFuture),
    Code::Event(EventCode::TooOld),
    Code::Event(EventCode::OutOfSeason),
    Code::Event(EventCode::BoardFull),
    Code::Event(EventCode::Reset),
    Code::Event(EventCode::ItemGone),
    Code::Event(EventCode::UnknownItem),
    Code::Event(EventCode::TooManyNew),
    Code::Event(EventCode::TooManyVisitors),
    Code::Event(EventCode::AlreadyDone),
    Code::Event(EventCode::NotDone),
    Code::Event(EventCode::AlreadyUndone),
    Code::Event(EventCode::UndoTooLate),
    Code::Event(EventCode::Superseded),
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];
/// Problems of a beacon of which nothing counts.
const BEACON: &[Code] = &[
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::Event(EventCode::TooManyEvents),
    Code::Event(EventCode::UnknownField),
    Code::Event(EventCode::InvalidId),
    Code::Event(EventCode::InvalidEvent),
    Code::Event(EventCode::InvalidAction),
    Code::Event(EventCode::UnknownAction),
    Code::Event(EventCode::ActionNotPublic),
    Code::Event(EventCode::InvalidItem),
    Code::Event(EventCode::InvalidActor),
    Code::Event(EventCode::InvalidVisitor),
    Code::Event(EventCode::InvalidAgo),
    Code::Event(EventCode::InvalidAt),
    Code::Event(EventCode::InvalidUndo),
    Code::Event(EventCode::InvalidCount),
    Code::Event(EventCode::InvalidValue),
    Code::Event(EventCode::InvalidMeta),
    Code::Event(EventCode::InvalidSeq),
    Code::Event(EventCode::UndoNotPossible),
    Code::Event(EventCode::SeqMissing),
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];
const PIXEL: &[Code] = &[
    Code::Event(EventCode::InvalidAction),
    Code::Event(EventCode::UnknownAction),
    Code::Event(EventCode::ActionNotPublic),
    Code::Event(EventCode::InvalidItem),
    Code::Event(EventCode::InvalidActor),
    Code::Event(EventCode::InvalidId),
    Code::Event(EventCode::SeqMissing),
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];
const RANKING: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::UnknownPeriod,
    Code::InvalidParameter,
    Code::InvalidPeriod,
    Code::RedisUnavailable,
    Code::NoDatabase,
    Code::DatabaseUnavailable,
];
const LIVE: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::InvalidParameter,
    Code::UpgradeRequired,
    Code::TooManySockets,
    Code::TooManyViewers,
    Code::RedisUnavailable,
];
const MEMBER: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::UnknownPeriod,
    Code::InvalidParameter,
    Code::InvalidPeriod,
    Code::Event(EventCode::InvalidId),
    Code::NotOnBoard,
    Code::RedisUnavailable,
];
const EXPLAIN: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::UnknownPeriod,
    Code::InvalidParameter,
    Code::InvalidPeriod,
    Code::Event(EventCode::InvalidId),
    Code::NotOnBoard,
    Code::NoBreakdown,
    Code::RedisUnavailable,
];
const BADGE_PROBLEMS: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::UnknownPeriod,
    Code::InvalidParameter,
    Code::InvalidPeriod,
    Code::Event(EventCode::InvalidId),
    Code::RedisUnavailable,
];
const EXPORT: &[Code] =
    &[Code::UnknownBoard, Code::UnknownWindow, Code::UnknownPeriod, Code::InvalidPeriod, Code::RedisUnavailable, Code::DatabaseUnavailable];
const SERIES: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::InvalidPeriod,
    Code::InvalidParameter,
    Code::NotOnBoard,
    Code::Event(EventCode::InvalidId),
    Code::RedisUnavailable,
    Code::DatabaseUnavailable,
];
const SERIES_OF_MANY: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::InvalidPeriod,
    Code::InvalidParameter,
    Code::InvalidIds,
    Code::Event(EventCode::InvalidId),
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::RedisUnavailable,
    Code::DatabaseUnavailable,
];
const RANKS: &[Code] = &[
    Code::UnknownBoard,
    Code::UnknownWindow,
    Code::UnknownPeriod,
    Code::InvalidPeriod,
    Code::InvalidIds,
    Code::Event(EventCode::InvalidId),
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::RedisUnavailable,
];
const MINE: &[Code] = &[
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::Event(EventCode::UnknownField),
    Code::Event(EventCode::InvalidAction),
    Code::Event(EventCode::InvalidId),
    Code::InvalidIds,
    Code::InvalidParameter,
    Code::InvalidToken,
    Code::NoActivity,
    Code::RedisUnavailable,
];
const LIST: &[Code] = &[Code::UnknownBoard, Code::RedisUnavailable];
const CURATE: &[Code] =
    &[Code::UnknownBoard, Code::Event(EventCode::InvalidId), Code::ListFull, Code::RedisUnavailable, Code::OutcomeUnknown];

const HIDE: &[Code] = &[Code::Event(EventCode::InvalidId), Code::ListFull, Code::RedisUnavailable, Code::OutcomeUnknown];

const REMOVE: &[Code] = &[
    Code::UnknownBoard,
    Code::InvalidParameter,
    Code::Event(EventCode::InvalidId),
    Code::ListFull,
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];
const REVOKE: &[Code] = &[
    Code::NoJournal,
    Code::InvalidParameter,
    Code::InvalidRevocation,
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];
const REPLAY: &[Code] = &[
    Code::InvalidReplay,
    Code::InvalidParameter,
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];
/// Problems of reading from the database.
const DATABASE: &[Code] = &[Code::NoDatabase, Code::DatabaseUnavailable, Code::Event(EventCode::InvalidId), Code::NotDescribed];
const DESCRIBED_LIST: &[Code] = &[Code::NoDatabase, Code::DatabaseUnavailable, Code::InvalidParameter];
/// Problems of writing to it.
const DESCRIBE: &[Code] = &[
    Code::NoDatabase,
    Code::DatabaseUnavailable,
    Code::Event(EventCode::InvalidId),
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::InvalidDetails,
    Code::NotDescribed,
    Code::AlreadyDescribed,
    Code::PreconditionFailed,
    Code::TooManySections,
    Code::Contended,
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];
const DELETE_ITEM: &[Code] =
    &[Code::NoDatabase, Code::DatabaseUnavailable, Code::Event(EventCode::InvalidId), Code::InvalidParameter, Code::PreconditionFailed];

const ALIAS: &[Code] = &[
    Code::NoDatabase,
    Code::DatabaseUnavailable,
    Code::Event(EventCode::InvalidId),
    Code::Event(EventCode::InvalidJson),
    Code::Event(EventCode::BodyTooLarge),
    Code::InvalidParameter,
    Code::NotPossible,
    Code::Contended,
    Code::RedisUnavailable,
    Code::OutcomeUnknown,
];

const JSON: &str = "application/json";
const NO_CONTENT: Answer = Answer { status: 204, content_type: "", schema: None };
const NOT_MODIFIED: Answer = Answer { status: 304, content_type: "", schema: None };
const fn json(schema: &'static str) -> Answer {
    Answer { status: 200, content_type: JSON, schema: Some(schema) }
}

const HTML: &[Answer] = &[text(Form::Html.content_type()), NOT_MODIFIED];
const RSS: &[Answer] = &[text(Form::Rss.content_type()), NOT_MODIFIED];
const CSV: &[Answer] = &[text(Form::Csv.content_type()), NOT_MODIFIED];
const BADGE: &[Answer] = &[text("image/svg+xml"), NOT_MODIFIED];
const fn text(content_type: &'static str) -> Answer {
    Answer { status: 200, content_type, schema: None }
}

const REMOVED: &[Answer] = &[json("Removal"), Answer { status: 202, content_type: JSON, schema: Some("Removal") }];
const REVOKED: &[Answer] = &[json("Revoked"), Answer { status: 202, content_type: JSON, schema: Some("Revoked") }];
const REBUILT: &[Answer] = &[json("Rebuilt"), Answer { status: 202, content_type: JSON, schema: Some("Rebuilt") }];
const FROZEN: &[Answer] = &[json("Frozen"), Answer { status: 202, content_type: JSON, schema: Some("Frozen") }];
const RESTORED: &[Answer] = &[json("Restored"), Answer { status: 202, content_type: JSON, schema: Some("Restored") }];
const REPLAYED: &[Answer] = &[json("Replayed"), Answer { status: 202, content_type: JSON, schema: Some("Replayed") }];
const CURATED: &[Answer] = &[json("Curated")];
const DESCRIBED: &[Answer] = &[json("Described")];
const DESCRIBED_OR_CREATED: &[Answer] = &[json("Described"), Answer { status: 201, content_type: JSON, schema: Some("Described") }];
const DESCRIBED_OR_KNOWN: &[Answer] = &[json("Described"), NOT_MODIFIED];
const DESCRIBED_OR_MOVED: &[Answer] = &[json("Described"), NOT_MODIFIED, Answer { status: 308, content_type: "", schema: None }];
const BULK_COUNTS: &[Answer] = &[json("BulkCounts")];
const UPKEEP: &[Answer] = &[json("Upkeep")];

const LIMIT: Parameter = Parameter {
    name: "limit",
    required: false,
    schema: r#"{"type":"integer","minimum":1,"default":10}"#,
    about: "entries on the page, up to the board's `limit`",
};
const LIVE_LIMIT: Parameter = Parameter { about: "entries, which are rounded up to 10, 30, 100 or the board's `limit`", ..LIMIT };
const LETTERS: Parameter = Parameter {
    name: "limit",
    required: false,
    schema: r#"{"type":"integer","minimum":1,"maximum":100,"default":100}"#,
    about: "letters on the page",
};
const AFTER_LETTER: Parameter =
    Parameter { name: "after", required: false, schema: r#"{"type":"string"}"#, about: "what the page before says as `next`" };
const UNKNOWN: Parameter = Parameter {
    name: "unknown",
    required: false,
    schema: r#"{"enum":["0","1"]}"#,
    about: "`1`: the messages that name no site that is known, for who has the token of all sites",
};
const OFFSET: Parameter = Parameter {
    name: "offset",
    required: false,
    schema: r#"{"type":"integer","minimum":0,"default":0}"#,
    about: "entries before the page; `offset` + `limit` is at most the board's `limit`, and 100,000 where its snapshots have all members",
};
const PERIOD: Parameter = Parameter {
    name: "period",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "a period's id, such as `2026-11-20` of `day`; the current one by default",
};
const RESET_AT: Parameter = Parameter {
    name: "reset_at",
    required: false,
    schema: r#"{"type":"string","format":"date-time"}"#,
    about: "what the reset took of the `period` that was then: its `reset_at`",
};
const FROM: Parameter = Parameter {
    name: "from",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "the id of the first period, or the `next` of the page before; by default 29 before the last",
};
const TO: Parameter = Parameter {
    name: "to",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "the id of the last period; the current one by default",
};
const WITH_RANK: Parameter = Parameter {
    name: "rank",
    required: false,
    schema: r#"{"type":"integer","minimum":0,"maximum":1,"default":0}"#,
    about: "1: also where the member stood",
};
const BY_UNIT: Parameter = Parameter {
    name: "by",
    required: false,
    schema: r#"{"type":"string","enum":["hour","day","week","month","year","all"]}"#,
    about: "the periods, of those that the board counts; by default the window's",
};
const WITH_ACTIONS: Parameter = Parameter {
    name: "actions",
    required: false,
    schema: r#"{"type":"integer","minimum":0,"maximum":1,"default":0}"#,
    about: "1: also what the member did, by action, on boards with `breakdown`",
};
const SCORE: Parameter = Parameter {
    name: "score",
    required: false,
    schema: r#"{"type":"number"}"#,
    about: "a score with at most six decimals, whose rank is asked for; this or `rank`",
};
const RANK: Parameter = Parameter {
    name: "rank",
    required: false,
    schema: r#"{"type":"integer","minimum":1}"#,
    about: "a rank, whose score is asked for; this or `score`",
};
const TITLE: Parameter = Parameter {
    name: "title",
    required: false,
    schema: r#"{"type":"string","minLength":1,"maxLength":100}"#,
    about: "what it is called instead of board and window",
};
/// The parameters of a ranking, and a title.
const RENDERED_QUERY: &[Parameter] = &{
    let mut all = [TITLE; RANKING_QUERY.len() + 1];
    let mut i = 0;
    while i < RANKING_QUERY.len() {
        all[i] = RANKING_QUERY[i];
        i += 1;
    }
    all
};
const RANKING_QUERY: &[Parameter] = &[
    LIMIT,
    OFFSET,
    PERIOD,
    KNOWN,
    Parameter {
        name: "actions",
        required: false,
        schema: r#"{"enum":["0","1"]}"#,
        about: "1: show how often each member got each action, on boards with `breakdown`",
    },
    Parameter {
        name: "from_score",
        required: false,
        schema: r#"{"type":"string"}"#,
        about: "a score: begin with the first member that has at most that, behind the pinned ones",
    },
    Parameter { name: "exclude", required: false, schema: TEXT, about: "a member that is left out, such as the page that is being read" },
    Parameter { name: "category", required: false, schema: TEXT, about: "only items of this category" },
    Parameter { name: "tag", required: false, schema: TEXT, about: "only items with this tag" },
    Parameter { name: "author", required: false, schema: TEXT, about: "only items of this author" },
    Parameter {
        name: "published_within",
        required: false,
        schema: r#"{"type":"string","pattern":"^[0-9]{1,4}[hd]$"}"#,
        about: "only items that were published within this time, such as `12h` or `7d`",
    },
    Parameter { name: "per_category", required: false, schema: PER, about: "at most so many items of one category" },
    Parameter { name: "per_author", required: false, schema: PER, about: "at most so many items of one author" },
];
const KNOWN: Parameter = Parameter {
    name: "details",
    required: false,
    schema: r#"{"enum":["0","1"]}"#,
    about: "1: show what is known of each member; the board's `details` by default",
};
const TEXT: &str = r#"{"type":"string"}"#;
const PER: &str = r#"{"type":"integer","minimum":1,"maximum":100}"#;
const AROUND: Parameter = Parameter {
    name: "around",
    required: false,
    schema: r#"{"type":"integer","minimum":0,"maximum":50,"default":0}"#,
    about: "neighbours on either side",
};
const BOARDS: Parameter = Parameter {
    name: "boards",
    required: true,
    schema: r#"{"type":"string"}"#,
    about: "1 to 20 rankings, as `board/window`, separated by commas",
};
const PAGE: Parameter = Parameter {
    name: "limit",
    required: false,
    schema: r#"{"type":"integer","minimum":1,"maximum":100,"default":50}"#,
    about: "entries on the page",
};
const NEXT: Parameter = Parameter {
    name: "cursor",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "`next` of the page before; the first page by default",
};
const DAYS: Parameter = Parameter {
    name: "days",
    required: false,
    schema: r#"{"type":"integer","minimum":1}"#,
    about: "days to look at, up to the site's `actor_history`",
};
const DETAILS: Parameter = Parameter {
    name: "details",
    required: false,
    schema: r#"{"type":"integer","minimum":0,"maximum":1,"default":0}"#,
    about: "1: what can be undone, one by one instead of by day",
};
const ENTRIES: Parameter = Parameter {
    name: "limit",
    required: false,
    schema: r#"{"type":"integer","minimum":1,"maximum":100,"default":50}"#,
    about: "entries on a page of details",
};
const AFTER: Parameter =
    Parameter { name: "after", required: false, schema: r#"{"type":"string"}"#, about: "the `next` of the page of details before" };
const ACTION: Parameter =
    Parameter { name: "action", required: true, schema: r#"{"type":"string"}"#, about: "a public action of the site" };
const ITEM: Parameter = Parameter { name: "item", required: true, schema: r#"{"type":"string"}"#, about: "the item's id" };
const ACTOR: Parameter = Parameter { name: "actor", required: false, schema: r#"{"type":"string"}"#, about: "who acts" };
const ID: Parameter =
    Parameter { name: "id", required: false, schema: r#"{"type":"string"}"#, about: "makes the event safe to send again" };

const PREFIX: Parameter =
    Parameter { name: "prefix", required: true, schema: r#"{"type":"string"}"#, about: "what the members' ids begin with" };
const DRY_RUN: Parameter = Parameter {
    name: "dry_run",
    required: false,
    schema: r#"{"type":"string","enum":["0","1"],"default":"0"}"#,
    about: "1: only answer what would be done",
};
const RESET_WINDOW: Parameter =
    Parameter { name: "window", required: false, schema: r#"{"type":"string"}"#, about: "one window of the board; without it all of them" };
const REBUILT_WINDOW: Parameter = Parameter {
    name: "window",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "one rolling window of the board; without it all of them",
};
const FROZEN_WINDOW: Parameter =
    Parameter { name: "window", required: true, schema: r#"{"type":"string"}"#, about: "a calendar or rolling window of the board" };
const FROZEN_PERIOD: Parameter = Parameter {
    name: "period",
    required: true,
    schema: r#"{"type":"string"}"#,
    about: "the id of a period that is over, such as `2026-11-20` of `day`",
};
const UNCONFIGURED_BOARD: Parameter =
    Parameter { name: "board", required: true, schema: r#"{"type":"string"}"#, about: "whose keys these are" };
const UNCONFIGURED_PART: Parameter = Parameter {
    name: "part",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "of that board, as the list tells it; all parts where it is left out",
};
const KEEP_OFF: Parameter = Parameter {
    name: "keep_off",
    required: false,
    schema: r#"{"type":"string","enum":["0","1"],"default":"1"}"#,
    about: "0: let events that come later count again",
};
const BY: Parameter = Parameter { name: "by", required: false, schema: r#"{"type":"string"}"#, about: "who does it, for the audit log" };
const CURSOR: Parameter = Parameter {
    name: "cursor",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "where to go on: the `cursor` of the answer before",
};
const STANDING: Parameter = Parameter {
    name: "standing",
    required: false,
    schema: r#"{"type":"string"}"#,
    about: "a ranking, as `board/window`: where the members of the events stood and stand there",
};
const HOURS: Parameter = Parameter {
    name: "hours",
    required: false,
    schema: r#"{"type":"integer","minimum":1,"maximum":2160,"default":24}"#,
    about: "how far to look back",
};
const AUDIT_LIMIT: Parameter = Parameter {
    name: "limit",
    required: false,
    schema: r#"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#,
    about: "entries, the latest first",
};

/// A route of anyone's that takes no parameters and is not cached.
const fn open(method: Method, path: &'static str, endpoint: Endpoint, answers: &'static [Answer], summary: &'static str) -> Route {
    let (query, body, own_problems): (&[Parameter], _, &[Code]) = (&[], None, &[]);
    Route { method, path, endpoint, access: Access::Anyone, query, body, cache: Cache::No, answers, own_problems, summary }
}

/// The same, with a token.
const fn closed(
    method: Method,
    path: &'static str,
    endpoint: SiteEndpoint,
    access: Access,
    answers: &'static [Answer],
    own_problems: &'static [Code],
    summary: &'static str,
) -> Route {
    let (query, body): (&[Parameter], _) = (&[], None);
    Route { method, path, endpoint: Endpoint::Site(endpoint), access, query, body, cache: Cache::No, answers, own_problems, summary }
}

const fn exported(form: ExportForm) -> Answer {
    Answer { status: 200, content_type: form.content_type(), schema: None }
}

/// All members of a period.
const fn export(path: &'static str, form: ExportForm, answers: &'static [Answer], summary: &'static str) -> Route {
    let route = closed(Method::Get, path, SiteEndpoint::Export(form), Access::AdminToken, answers, EXPORT, summary);
    Route { query: &[PERIOD, RESET_AT], ..route }
}

/// A ranking, read through the caches.
const fn ranking(
    path: &'static str,
    endpoint: SiteEndpoint,
    query: &'static [Parameter],
    answers: &'static [Answer],
    own_problems: &'static [Code],
    summary: &'static str,
) -> Route {
    let (endpoint, access, cache) = (Endpoint::Site(endpoint), Access::Anyone, Cache::Ranking);
    Route { method: Method::Get, path, endpoint, access, query, body: None, cache, answers, own_problems, summary }
}

/// A page of a ranking in another form than JSON.
const fn rendered(path: &'static str, form: Form, answers: &'static [Answer], summary: &'static str) -> Route {
    ranking(path, SiteEndpoint::Rendered(form), RENDERED_QUERY, answers, RANKING, summary)
}

/// The table. Where two patterns fit a path, the first one holds.
pub static ROUTES: &[Route] = &[
    open(
        Method::Get,
        "/",
        Endpoint::About,
        &[text("text/plain; charset=utf-8")],
        "A line that says what this is. Under `npm start` the demo page.",
    ),
    open(
        Method::Get,
        "/admin",
        Endpoint::AdminPage,
        &[text("text/html; charset=utf-8")],
        "The page for who has the `ADMIN_TOKEN` of a site.",
    ),
    Route {
        cache: Cache::Revalidated,
        ..open(
            Method::Get,
            "/beacon.js",
            Endpoint::BeaconModule,
            &[Answer { status: 200, content_type: "text/javascript; charset=utf-8", schema: None }, NOT_MODIFIED],
            "The browser module that sends clicks.",
        )
    },
    Route {
        cache: Cache::Immutable,
        own_problems: &[Code::NotFound],
        ..open(
            Method::Get,
            "/v/{file}",
            Endpoint::ModuleVersion,
            &[Answer { status: 200, content_type: "text/javascript; charset=utf-8", schema: None }],
            "The same module at an address that is made of its content; `boards` names it.",
        )
    },
    Route {
        cache: Cache::Revalidated,
        ..open(
            Method::Get,
            "/board.js",
            Endpoint::BoardModule,
            &[Answer { status: 200, content_type: "text/javascript; charset=utf-8", schema: None }, NOT_MODIFIED],
            "The browser module that shows rankings.",
        )
    },
    open(Method::Get, "/openapi.json", Endpoint::Description, &[json("OpenApi")], "This description, as OpenAPI 3.1."),
    open(Method::Get, "/healthz", Endpoint::Alive, &[json("Health")], "The worker runs."),
    Route {
        own_problems: &[Code::RedisUnavailable, Code::BindingNeeded],
        ..open(
            Method::Get,
            "/readyz",
            Endpoint::Ready,
            &[json("Readiness")],
            "Redis can count: it runs a script that writes, and no binding is missing. `status` says whether Redis lost something, and whether the clocks agree.",
        )
    },
    Route {
        access: Access::Page,
        body: Some("Batch"),
        own_problems: BEACON,
        ..open(
            Method::Post,
            "/v1/{site}/beacon",
            Endpoint::Site(SiteEndpoint::Beacon),
            &[NO_CONTENT],
            "Counts the events of a browser, without those that can never be valid.",
        )
    },
    Route {
        access: Access::Page,
        query: &[ACTION, ITEM, ACTOR, ID],
        own_problems: PIXEL,
        ..open(
            Method::Get,
            "/v1/{site}/beacon.gif",
            Endpoint::Site(SiteEndpoint::Pixel),
            &[Answer { status: 200, content_type: "image/gif", schema: None }],
            "Counts one event of a page without script.",
        )
    },
    Route {
        query: &[STANDING],
        body: Some("ServerBatch"),
        ..closed(
            Method::Post,
            "/v1/{site}/events",
            SiteEndpoint::Events,
            Access::WriteToken,
            &[json("Counts"), Answer { status: 202, content_type: JSON, schema: Some("Counts") }],
            EVENTS,
            "Counts the events of the site's server, and reports those of a list that do not count.",
        )
    },
    Route {
        own_problems: &[Code::RedisUnavailable],
        ..open(
            Method::Get,
            "/v1/{site}/boards",
            Endpoint::Site(SiteEndpoint::Boards),
            &[json("Boards")],
            "The site's boards and windows; for administrators, who send their token, how full they are.",
        )
    },
    rendered("/v1/{site}/boards/{board}/{window}.html", Form::Html, HTML, "A page of a ranking as a list to include in a page."),
    rendered("/v1/{site}/boards/{board}/{window}.rss", Form::Rss, RSS, "A page of a ranking as a feed."),
    rendered("/v1/{site}/boards/{board}/{window}.csv", Form::Csv, CSV, "A page of a ranking as a table."),
    ranking(
        "/v1/{site}/boards/{board}/{window}",
        SiteEndpoint::Top,
        RANKING_QUERY,
        &[json("Ranking"), NOT_MODIFIED],
        RANKING,
        "A page of a ranking, best first.",
    ),
    Route {
        query: &[LIVE_LIMIT, KNOWN],
        own_problems: LIVE,
        ..open(
            Method::Get,
            "/v1/{site}/boards/{board}/{window}/live",
            Endpoint::Site(SiteEndpoint::Live),
            &[Answer { status: 101, content_type: "", schema: None }, text("text/event-stream")],
            "A ranking each time that it changes, as a WebSocket or an event stream.",
        )
    },
    ranking(
        "/v1/{site}/boards/{board}/{window}/members/{id}",
        SiteEndpoint::Member,
        &[AROUND, PERIOD],
        &[json("Member"), NOT_MODIFIED],
        MEMBER,
        "The rank of a member, and its neighbours.",
    ),
    ranking(
        "/v1/{site}/boards/{board}/{window}/members/{id}/badge.svg",
        SiteEndpoint::Badge,
        &[PERIOD, TITLE],
        BADGE,
        BADGE_PROBLEMS,
        "A picture of a member's rank.",
    ),
    ranking(
        "/v1/{site}/boards/{board}/{window}/members/{id}/explain",
        SiteEndpoint::Explain,
        &[PERIOD, NEXT],
        &[json("Explanation"), NOT_MODIFIED],
        EXPLAIN,
        "What a member's score is made of.",
    ),
    ranking(
        "/v1/{site}/boards/{board}/{window}/rank",
        SiteEndpoint::Place,
        &[SCORE, RANK, PERIOD],
        &[json("Place"), NOT_MODIFIED],
        &[
            Code::UnknownBoard,
            Code::UnknownWindow,
            Code::UnknownPeriod,
            Code::InvalidParameter,
            Code::InvalidPeriod,
            Code::RedisUnavailable,
        ],
        "The rank that a score would have, or the score of who has a rank.",
    ),
    Route {
        query: &[PAGE, NEXT],
        own_problems: &[
            Code::UnknownBoard,
            Code::UnknownWindow,
            Code::NoHistory,
            Code::InvalidParameter,
            Code::NoDatabase,
            Code::DatabaseUnavailable,
        ],
        ..open(
            Method::Get,
            "/v1/{site}/boards/{board}/{window}/periods",
            Endpoint::Site(SiteEndpoint::Periods),
            &[json("Periods")],
            "The periods that are over, and who won them.",
        )
    },
    ranking(
        "/v1/{site}/boards/{board}/{window}/members/{id}/series",
        SiteEndpoint::Series,
        &[FROM, TO, BY_UNIT, WITH_RANK, WITH_ACTIONS],
        &[json("Series"), NOT_MODIFIED],
        SERIES,
        "What a member had in each of some periods.",
    ),
    Route {
        query: &[FROM, TO, BY_UNIT, WITH_RANK, WITH_ACTIONS],
        body: Some("SeriesIds"),
        own_problems: SERIES_OF_MANY,
        ..open(
            Method::Post,
            "/v1/{site}/boards/{board}/{window}/series",
            Endpoint::Site(SiteEndpoint::SeriesOfMany),
            &[json("SeriesOfMany")],
            "What up to 100 members had in each of some periods.",
        )
    },
    Route {
        query: &[PERIOD],
        body: Some("Ids"),
        own_problems: RANKS,
        ..open(
            Method::Post,
            "/v1/{site}/boards/{board}/{window}/ranks",
            Endpoint::Site(SiteEndpoint::Ranks),
            &[json("Ranks")],
            "Where up to 100 members stand.",
        )
    },
    ranking(
        "/v1/{site}/top",
        SiteEndpoint::Tops,
        &[BOARDS, LIMIT],
        &[json("Rankings"), NOT_MODIFIED],
        &[Code::UnknownBoard, Code::UnknownWindow, Code::InvalidParameter, Code::RedisUnavailable],
        "The first pages of several rankings.",
    ),
    Route {
        query: &[PAGE, NEXT],
        own_problems: DESCRIBED_LIST,
        ..open(
            Method::Get,
            "/v1/{site}/items",
            Endpoint::Site(SiteEndpoint::ListDescribed),
            &[json("DescribedList")],
            "The items that are described, the one that was changed last first.",
        )
    },
    Route {
        body: Some("NewItem"),
        ..closed(
            Method::Post,
            "/v1/{site}/items",
            SiteEndpoint::CreateItem,
            Access::AdminToken,
            &[Answer { status: 201, content_type: JSON, schema: Some("Described") }],
            DESCRIBE,
            "Describes a new item; one without an id is given one.",
        )
    },
    bulk("/v1/{site}/items", Kind::Item, "Describes many items, one on each line."),
    Route {
        answers: DESCRIBED_OR_MOVED,
        ..described(
            "/v1/{site}/items/{id}",
            Kind::Item,
            "The details of an item. An item that became another one answers with the address of that one.",
        )
    },
    describe(
        Method::Put,
        "/v1/{site}/items/{id}",
        SiteEndpoint::Describe(Kind::Item),
        "ItemDetails",
        DESCRIBED_OR_CREATED,
        "Describes an item.",
    ),
    describe(
        Method::Patch,
        "/v1/{site}/items/{id}",
        SiteEndpoint::PatchDescribed(Kind::Item),
        "ItemDetails",
        DESCRIBED,
        "Changes some of it, by a JSON merge patch.",
    ),
    Route {
        query: &[BY],
        ..closed(
            Method::Delete,
            "/v1/{site}/items/{id}",
            SiteEndpoint::DeleteItem,
            Access::AdminToken,
            &[NO_CONTENT, Answer { status: 202, content_type: "", schema: None }],
            DELETE_ITEM,
            "Deletes an item and takes it off every board; 202 while something is left, which upkeep ends.",
        )
    },
    closed(
        Method::Get,
        "/v1/{site}/items/{id}/alias",
        SiteEndpoint::Alias,
        Access::AdminToken,
        &[json("Alias")],
        &[Code::NoDatabase, Code::DatabaseUnavailable, Code::Event(EventCode::InvalidId), Code::NoAlias],
        "What an item became, and whether all that it had is that one's.",
    ),
    Route {
        query: &[DRY_RUN, BY],
        body: Some("AliasTarget"),
        ..closed(
            Method::Post,
            "/v1/{site}/items/{id}/alias",
            SiteEndpoint::MakeAlias,
            Access::AdminToken,
            &[json("Alias"), Answer { status: 202, content_type: JSON, schema: Some("Alias") }],
            ALIAS,
            "Makes an item another one, with all that it has; 202 while something is left, which upkeep ends.",
        )
    },
    bulk("/v1/{site}/actors", Kind::Actor, "Describes many actors, one on each line."),
    described("/v1/{site}/actors/{id}", Kind::Actor, "What is known of an actor."),
    describe(
        Method::Put,
        "/v1/{site}/actors/{id}",
        SiteEndpoint::Describe(Kind::Actor),
        "ActorDetails",
        DESCRIBED_OR_CREATED,
        "Describes an actor.",
    ),
    describe(
        Method::Patch,
        "/v1/{site}/actors/{id}",
        SiteEndpoint::PatchDescribed(Kind::Actor),
        "ActorDetails",
        DESCRIBED,
        "Changes some of it, by a JSON merge patch.",
    ),
    Route {
        query: &[DAYS, DETAILS, ENTRIES, AFTER],
        ..closed(
            Method::Get,
            "/v1/{site}/actors/{id}/activity",
            SiteEndpoint::Activity,
            Access::WriteToken,
            &[json("ActivityOrDetails")],
            &[Code::Event(EventCode::InvalidId), Code::InvalidParameter, Code::NoActivity, Code::RedisUnavailable],
            "What an actor did, by day or one by one.",
        )
    },
    Route {
        access: Access::Page,
        body: Some("Mine"),
        own_problems: MINE,
        ..open(
            Method::Post,
            "/v1/{site}/mine",
            Endpoint::Site(SiteEndpoint::Mine),
            &[json("MineAnswer")],
            "What the actor of a token did: which of up to 100 items, by day, or one by one.",
        )
    },
    closed(
        Method::Delete,
        "/v1/{site}/actors/{id}",
        SiteEndpoint::EraseActor,
        Access::WriteToken,
        &[NO_CONTENT, Answer { status: 202, content_type: "", schema: None }],
        &[Code::Event(EventCode::InvalidId), Code::RedisUnavailable, Code::OutcomeUnknown, Code::DatabaseUnavailable],
        "Erases an actor; 202 while something is left, to be asked again.",
    ),
    list("/v1/{site}/admin/boards/{board}/hidden", List::Hidden, "The hidden members of a board."),
    curate(Method::Put, "/v1/{site}/admin/boards/{board}/hidden/{id}", SiteEndpoint::Curate(List::Hidden), "Hides a member."),
    curate(Method::Delete, "/v1/{site}/admin/boards/{board}/hidden/{id}", SiteEndpoint::Uncurate(List::Hidden), "Shows it again."),
    hide(Method::Put, SiteEndpoint::HideEverywhere, "Hides a member on every board of the site."),
    hide(Method::Delete, SiteEndpoint::ShowEverywhere, "Shows it again on every board."),
    list("/v1/{site}/admin/boards/{board}/pinned", List::Pinned, "The pinned members of a board, in their order."),
    curate(Method::Put, "/v1/{site}/admin/boards/{board}/pinned/{id}", SiteEndpoint::Curate(List::Pinned), "Pins a member."),
    curate(Method::Delete, "/v1/{site}/admin/boards/{board}/pinned/{id}", SiteEndpoint::Uncurate(List::Pinned), "Unpins it."),
    remove("/v1/{site}/admin/boards/{board}/members/{id}", &[KEEP_OFF, DRY_RUN, BY], "Takes a member off every window of a board."),
    remove(
        "/v1/{site}/admin/boards/{board}/members",
        &[PREFIX, KEEP_OFF, DRY_RUN, BY],
        "Takes every member whose id begins so off every window of a board.",
    ),
    let_in("/v1/{site}/admin/boards/{board}/members/{id}", &[BY], "Lets a removed member in again."),
    let_in("/v1/{site}/admin/boards/{board}/members", &[PREFIX, BY], "Lets a removed prefix in again."),
    Route {
        query: &[CURSOR],
        ..closed(
            Method::Get,
            "/v1/{site}/admin/boards/{board}/removed",
            SiteEndpoint::ListRemoved,
            Access::AdminToken,
            &[json("Removed")],
            &[Code::UnknownBoard, Code::InvalidParameter, Code::RedisUnavailable],
            "The members that are kept off a board.",
        )
    },
    Route {
        query: &[RESET_WINDOW, DRY_RUN, BY],
        ..closed(
            Method::Post,
            "/v1/{site}/admin/boards/{board}/reset",
            SiteEndpoint::Reset,
            Access::AdminToken,
            &[json("Reset")],
            &[
                Code::UnknownBoard,
                Code::UnknownWindow,
                Code::InvalidParameter,
                Code::ClockDiffers,
                Code::RedisUnavailable,
                Code::OutcomeUnknown,
                Code::DatabaseUnavailable,
            ],
            "Empties a board, or a window of it.",
        )
    },
    Route {
        query: &[CURSOR],
        ..closed(
            Method::Get,
            "/v1/{site}/admin/boards/{board}/reset",
            SiteEndpoint::ListResets,
            Access::AdminToken,
            &[json("Resets")],
            &[Code::UnknownBoard, Code::DatabaseUnavailable],
            "The scores that resets took from periods, as they were archived.",
        )
    },
    Route {
        query: &[REBUILT_WINDOW, BY],
        ..closed(
            Method::Post,
            "/v1/{site}/admin/boards/{board}/rebuild",
            SiteEndpoint::Rebuild,
            Access::AdminToken,
            REBUILT,
            &[Code::UnknownBoard, Code::UnknownWindow, Code::InvalidParameter, Code::RedisUnavailable, Code::OutcomeUnknown],
            "Makes rolling windows anew of their base periods; 202 while upkeep goes on.",
        )
    },
    Route {
        query: &[FROZEN_WINDOW, FROZEN_PERIOD, BY],
        ..closed(
            Method::Post,
            "/v1/{site}/admin/boards/{board}/freeze",
            SiteEndpoint::Freeze,
            Access::AdminToken,
            FROZEN,
            &[
                Code::UnknownBoard,
                Code::UnknownWindow,
                Code::UnknownPeriod,
                Code::NoHistory,
                Code::NoDatabase,
                Code::InvalidParameter,
                Code::InvalidPeriod,
                Code::PeriodNotOver,
                Code::ClockDiffers,
                Code::NotRestored,
                Code::RedisUnavailable,
                Code::DatabaseUnavailable,
            ],
            "Freezes a period anew, as Redis or the archive has it now; 202 while it has to wait.",
        )
    },
    export(
        "/v1/{site}/admin/boards/{board}/export/{window}.ndjson",
        ExportForm::Lines,
        &[exported(ExportForm::Lines)],
        "All members of a calendar period, a line of JSON each.",
    ),
    export(
        "/v1/{site}/admin/boards/{board}/export/{window}.csv",
        ExportForm::Csv,
        &[exported(ExportForm::Csv)],
        "All members of a calendar period, as a table.",
    ),
    closed(
        Method::Get,
        "/v1/{site}/admin/boards",
        SiteEndpoint::Fullness,
        Access::AdminToken,
        &[json("Fullness")],
        &[Code::RedisUnavailable],
        "How full the boards are.",
    ),
    Route {
        query: &[Parameter { required: false, ..UNCONFIGURED_BOARD }, UNCONFIGURED_PART, CURSOR],
        ..closed(
            Method::Get,
            "/v1/{site}/admin/unconfigured",
            SiteEndpoint::ListUnconfigured,
            Access::AdminToken,
            &[json("Unconfigured")],
            &[Code::InvalidParameter, Code::RedisUnavailable],
            "What is kept of boards and windows that are no longer configured.",
        )
    },
    Route {
        query: &[UNCONFIGURED_BOARD, UNCONFIGURED_PART, DRY_RUN, CURSOR, BY],
        ..closed(
            Method::Delete,
            "/v1/{site}/admin/unconfigured",
            SiteEndpoint::RemoveUnconfigured,
            Access::AdminToken,
            &[json("Unconfigured"), Answer { status: 202, content_type: JSON, schema: Some("Unconfigured") }],
            &[Code::InvalidParameter, Code::RedisUnavailable, Code::OutcomeUnknown],
            "Removes it.",
        )
    },
    Route {
        query: &[AUDIT_LIMIT],
        ..closed(
            Method::Get,
            "/v1/{site}/admin/audit",
            SiteEndpoint::Audit,
            Access::AdminToken,
            &[json("Audit")],
            &[Code::InvalidParameter, Code::RedisUnavailable],
            "The log of removals, resets and revocations, with their authors.",
        )
    },
    Route {
        query: &[BY],
        body: Some("Revocation"),
        ..closed(
            Method::Post,
            "/v1/{site}/admin/revoke",
            SiteEndpoint::Revoke,
            Access::AdminToken,
            REVOKED,
            REVOKE,
            "Takes back what an actor, a visitor or an item did in a span of time.",
        )
    },
    closed(
        Method::Get,
        "/v1/{site}/admin/restore",
        SiteEndpoint::Restoration,
        Access::AdminToken,
        &[json("Restoration")],
        &[Code::DatabaseUnavailable],
        "What Redis lost and nobody has restored or accepted.",
    ),
    Route {
        query: &[DRY_RUN, BY],
        body: Some("Restore"),
        ..closed(
            Method::Post,
            "/v1/{site}/admin/restore",
            SiteEndpoint::Restore,
            Access::AdminToken,
            RESTORED,
            &[
                Code::InvalidParameter,
                Code::Event(EventCode::InvalidJson),
                Code::Event(EventCode::BodyTooLarge),
                Code::ClockDiffers,
                Code::DatabaseUnavailable,
                Code::RedisUnavailable,
                Code::OutcomeUnknown,
            ],
            "Puts back what Redis lost, from the archive; or accepts that it is lost.",
        )
    },
    Route {
        query: &[LETTERS, AFTER_LETTER, UNKNOWN],
        ..closed(
            Method::Get,
            "/v1/{site}/admin/dead",
            SiteEndpoint::ListDead,
            Access::AdminToken,
            &[json("DeadLetters")],
            &[Code::InvalidParameter, Code::RedisUnavailable],
            "Messages of the queue that could not be counted, the oldest first.",
        )
    },
    delete_dead("/v1/{site}/admin/dead", "Throws all of them away."),
    Route {
        query: &[UNKNOWN, BY],
        body: Some("Replay"),
        ..closed(
            Method::Post,
            "/v1/{site}/admin/dead/replay",
            SiteEndpoint::ReplayDead,
            Access::AdminToken,
            REPLAYED,
            REPLAY,
            "Counts some of them, or all, at the instants at which they were sent.",
        )
    },
    delete_dead("/v1/{site}/admin/dead/{id}", "Throws one of them away."),
    closed(
        Method::Get,
        "/v1/{site}/admin/metrics",
        SiteEndpoint::Metrics,
        Access::MetricsToken,
        &[text("text/plain; version=0.0.4; charset=utf-8")],
        &[Code::RedisUnavailable],
        "What Redis knows of the site's boards, and what the isolate did, for Prometheus.",
    ),
    Route {
        query: &[HOURS],
        ..closed(
            Method::Get,
            "/v1/{site}/admin/metrics/history",
            SiteEndpoint::MetricsHistory,
            Access::MetricsToken,
            &[json("MetricsHistory")],
            &[Code::InvalidParameter, Code::NoDataset, Code::DatasetUnavailable],
            "Events and commands over time, of all isolates, from the dataset.",
        )
    },
    upkeep(Method::Get, SiteEndpoint::UpkeepProgress, "How far upkeep is."),
    upkeep(Method::Post, SiteEndpoint::Upkeep, "Does upkeep for up to 10 seconds."),
];

const fn described(path: &'static str, kind: Kind, summary: &'static str) -> Route {
    let endpoint = Endpoint::Site(SiteEndpoint::Described(kind));
    Route { cache: Cache::Revalidated, own_problems: DATABASE, ..open(Method::Get, path, endpoint, DESCRIBED_OR_KNOWN, summary) }
}

const fn describe(
    method: Method,
    path: &'static str,
    endpoint: SiteEndpoint,
    body: &'static str,
    answers: &'static [Answer],
    summary: &'static str,
) -> Route {
    Route { body: Some(body), ..closed(method, path, endpoint, Access::AdminToken, answers, DESCRIBE, summary) }
}

const fn bulk(path: &'static str, kind: Kind, summary: &'static str) -> Route {
    let endpoint = SiteEndpoint::DescribeAll(kind);
    Route { body: Some("Lines"), ..closed(Method::Put, path, endpoint, Access::AdminToken, BULK_COUNTS, DESCRIBE, summary) }
}

const fn list(path: &'static str, list: List, summary: &'static str) -> Route {
    closed(Method::Get, path, SiteEndpoint::ListCurated(list), Access::AdminToken, CURATED, LIST, summary)
}

const fn curate(method: Method, path: &'static str, endpoint: SiteEndpoint, summary: &'static str) -> Route {
    closed(method, path, endpoint, Access::AdminToken, &[NO_CONTENT], CURATE, summary)
}

const fn hide(method: Method, endpoint: SiteEndpoint, summary: &'static str) -> Route {
    closed(method, "/v1/{site}/admin/hidden/{id}", endpoint, Access::AdminToken, &[NO_CONTENT], HIDE, summary)
}

const fn remove(path: &'static str, query: &'static [Parameter], summary: &'static str) -> Route {
    Route { query, ..closed(Method::Delete, path, SiteEndpoint::Remove, Access::AdminToken, REMOVED, REMOVE, summary) }
}

const fn delete_dead(path: &'static str, summary: &'static str) -> Route {
    let problems = &[Code::InvalidParameter, Code::RedisUnavailable, Code::OutcomeUnknown];
    let route = closed(Method::Delete, path, SiteEndpoint::DeleteDead, Access::AdminToken, &[NO_CONTENT], problems, summary);
    Route { query: &[UNKNOWN, BY], ..route }
}

const fn let_in(path: &'static str, query: &'static [Parameter], summary: &'static str) -> Route {
    Route { query, ..closed(Method::Put, path, SiteEndpoint::LetIn, Access::AdminToken, &[NO_CONTENT], REMOVE, summary) }
}

const fn upkeep(method: Method, endpoint: SiteEndpoint, summary: &'static str) -> Route {
    let own_problems = &[Code::RedisUnavailable, Code::OutcomeUnknown];
    closed(method, "/v1/{site}/admin/upkeep", endpoint, Access::AdminToken, UPKEEP, own_problems, summary)
}
