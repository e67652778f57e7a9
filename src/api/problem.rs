//! Problems: RFC 9457 documents with a stable `code`.

use http::header::{self, HeaderName};
use http::{HeaderValue, Response, StatusCode};
use ranking::site::Board;
use serde::Serialize;

use super::uncached;
use crate::app::archive::ArchiveError;
use crate::app::cache::MAX_AGE_S;
use crate::app::count::{EventCode, NotCounted, Refusal};
use crate::app::database::DatabaseError;
use crate::app::{Failure, Lack};

/// Declares the codes with their statuses, names and meanings, and lists them all.
macro_rules! codes {
    ($($variant:ident $status:literal $name:literal $meaning:literal)*) => {
        /// What went wrong. The name of a code is part of the wire format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
            /// What is wrong with an event or a batch.
            Event(EventCode),
        }

        impl Code {
            /// Every code but those of events.
            pub const OWN: &[Self] = &[$(Self::$variant,)*];

            /// In kebab case.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Event(code) => code.name(),
                }
            }

            /// The status of a response with this code. Codes of events also stand in the `rejected` list of a 200.
            pub fn status(self) -> StatusCode {
                let status = match self {
                    $(Self::$variant => $status,)*
                    Self::Event(EventCode::ActionNotPublic) => 403,
                    Self::Event(EventCode::BoardFull) => 409,
                    Self::Event(EventCode::TooManyNew | EventCode::TooManyVisitors) => 429,
                    Self::Event(EventCode::BodyTooLarge | EventCode::TooManyEvents) => 413,
                    Self::Event(_) => 400,
                };
                StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            }

            /// What it means, for the reference.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                    Self::Event(code) => code.meaning(),
                }
            }
        }
    };
}

codes! {
    NotFound 404 "not-found" "There is nothing at this address."
    MethodNotAllowed 405 "method-not-allowed" "The address has other methods; `Allow` names them."
    InvalidEncoding 400 "invalid-encoding" "The path or a parameter is not percent-encoded UTF-8."
    UnknownParameter 400 "unknown-parameter" "The address has no such query parameter."
    RepeatedParameter 400 "repeated-parameter" "A query parameter is given twice."
    InvalidParameter 400 "invalid-parameter" "A query parameter's value is not allowed."
    InvalidPeriod 400 "invalid-period" "The period is not written as the window's periods are."
    InvalidRevocation 400 "invalid-revocation" "What is to be revoked is not one actor, visitor or item in a span of time."
    InvalidReplay 400 "invalid-replay" "What is to be replayed is not `ids` of 1 to 100 letters, or `all`; or `seq` is no whole number above 0."
    InvalidIds 400 "invalid-ids" "`ids` is not a list of 1 to 100 ids."
    UnknownSite 404 "unknown-site" "No site has this name."
    UnknownBoard 404 "unknown-board" "The site has no such board."
    UnknownWindow 404 "unknown-window" "The board has no such window."
    UnknownPeriod 404 "unknown-period" "The period does not exist, has not begun, or is no longer kept."
    NotOnBoard 404 "not-on-board" "The member is not on the board in this period."
    NoBreakdown 404 "no-breakdown" "The board keeps no counts by action."
    NoHistory 404 "no-history" "The board freezes no periods."
    NoJournal 404 "no-journal" "The site keeps no journal."
    NoDatabase 404 "no-database" "The deployment has no database of items and actors."
    NoDataset 404 "no-dataset" "The deployment reads no dataset of metrics."
    NotDescribed 404 "not-described" "Nothing is known of the item or actor."
    NoAlias 404 "no-alias" "The item became no other one."
    NoActivity 404 "no-activity" "The site keeps no activity log."
    Unauthorized 401 "unauthorized" "The token is missing or wrong, or the deployment has none."
    InvalidToken 401 "invalid-token" "The token of the actor is missing, was not signed for the site, or has expired."
    TooManyAttempts 429 "too-many-attempts" "Too many wrong tokens came from this address; `Retry-After` says how long to wait."
    TooManyRequests 429 "too-many-requests" "Too many requests came from this address in a minute; `Retry-After` says how long to wait."
    OriginNotAllowed 403 "origin-not-allowed" "Pages of this origin may not send events to the site."
    InvalidDetails 400 "invalid-details" "What is said of an item or actor is not allowed."
    AlreadyDescribed 409 "already-described" "The id is taken."
    TooManySections 409 "too-many-sections" "The item's category has no section, and its board has as many as `max_sections` allows."
    NotPossible 409 "alias-not-possible" "The item cannot become the other one."
    Contended 409 "contended" "Others went on changing the same; nothing was written."
    PreconditionFailed 412 "precondition-failed" "What is there is not what `If-Match` or `If-None-Match` expects."
    PeriodNotOver 409 "period-not-over" "The period goes on, or ended less than five minutes ago; nothing was frozen."
    ListFull 409 "list-full" "The list of hidden, pinned or removed members is full."
    UpgradeRequired 426 "upgrade-required" "The address is a WebSocket, or an event stream for who accepts `text/event-stream`."
    TooManySockets 429 "too-many-sockets" "The address watches the ranking over as many sockets and streams as one may have; ask for it now and then."
    TooManyViewers 503 "too-many-viewers" "Too many watch the ranking already; ask for it now and then."
    Unreadable 400 "unreadable" "The request could not be read."
    ConfigurationInvalid 500 "configuration-invalid" "The deployment is configured wrongly; the detail names the key."
    BindingMissing 500 "binding-missing" "What is asked for needs a binding that is not in the deployment; the detail names the option and the binding. Events go on counting."
    BindingNeeded 503 "binding-missing" "Without a binding that is not in the deployment, the events cannot be counted rightly, or the deployment is not ready; the detail names the option and the binding."
    Internal 500 "internal" "Something went wrong in the worker; it was logged."
    DatasetUnavailable 503 "dataset-unavailable" "The dataset of metrics does not answer."
    ClockDiffers 503 "clock-differs" "The clock of Redis and the worker's differ by more than an hour; nothing that is over is copied until they agree."
    NotRestored 503 "not-restored" "Redis lost something of the site; nothing is copied from it until it is restored, or a person accepts the loss."
    DatabaseUnavailable 503 "database-unavailable" "The database or the archive does not answer; what was to be written may have been."
    RedisUnavailable 503 "redis-unavailable" "Redis does not answer; nothing was written."
    ScriptFailed 503 "script-failed" "A script failed in Redis, which is our fault; it was logged. It wrote nothing, other boards of the same batch may have counted."
    OutcomeUnknown 504 "outcome-unknown" "Redis did not say whether everything was written."
}

impl Code {
    /// Every code of a problem or a rejected event.
    pub fn each() -> impl Iterator<Item = Self> {
        Self::OWN.iter().copied().chain(EventCode::EACH.iter().copied().map(Self::Event))
    }
}

/// Why a request was not done.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    /// For people: names what was wrong and what is allowed.
    detail: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// For the log, where that differs from what clients see.
    logged: Option<String>,
    /// For how many seconds it may be kept, where the route's answers may.
    kept_s: Option<u64>,
}

/// A response extension: what to log about a response.
#[derive(Clone, Debug)]
pub struct Logged {
    pub level: Level,
    pub code: &'static str,
    pub detail: String,
}

/// How bad it is for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A click that was refused, or a token: pages or configuration may be wrong.
    Warn,
    /// The deployment does not work.
    Error,
}

#[derive(Serialize)]
struct Document<'p> {
    title: &'static str,
    status: u16,
    code: &'static str,
    detail: &'p str,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), headers: Vec::new(), logged: None, kept_s: None }
    }

    pub fn internal(logged: String) -> Self {
        Self { logged: Some(logged), ..Self::new(Code::Internal, "something went wrong here; it was logged") }
    }

    /// Redis did not do it. 503 when nothing was written, or a script failed that wrote nothing; 504 when that cannot be known.
    pub fn redis(failure: Failure) -> Self {
        let is_undone = failure.script.as_ref().is_some_and(|script| script.is_undone);
        let (code, detail) = if is_undone {
            (Code::ScriptFailed, "a script failed, which was logged; send the same again later, with the same id it counts once")
        } else if failure.nothing_written {
            (Code::RedisUnavailable, "Redis did not answer; nothing was written; try again")
        } else {
            let detail = "Redis did not say whether everything was written; send the same again, with the same id it counts once";
            (Code::OutcomeUnknown, detail)
        };
        let mut problem = Self::new(code, detail);
        problem.header(header::RETRY_AFTER, "1");
        problem.logged = Some(failure.detail);
        problem
    }

    /// The client asked too often.
    pub fn too_many(wait_s: u64) -> Self {
        let mut problem = Self::new(Code::TooManyRequests, "too many requests came from this address in a minute; wait");
        problem.header(header::RETRY_AFTER, &wait_s.to_string());
        problem
    }

    /// A binding is missing without which nothing can be done rightly.
    pub fn binding_needed(lacks: &[&Lack]) -> Self {
        let lines: Vec<&str> = lacks.iter().map(|lack| lack.line.as_str()).collect();
        let mut problem = Self::new(Code::BindingNeeded, lines.join("; "));
        problem.header(header::RETRY_AFTER, "60");
        problem
    }

    /// The archive did not do it.
    pub fn archive(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Clocks(differ) => Self::new(Code::ClockDiffers, differ.to_string()),
            error => Self::database(error.into()),
        }
    }

    /// The database did not do it.
    pub fn database(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Absent => Self::new(Code::NoDatabase, "this deployment has no database: bind a D1 database as DB"),
            DatabaseError::Missing(line) => Self::new(Code::BindingMissing, line),
            DatabaseError::Failed(said) => {
                let detail = "the database or the archive did not answer; the same may be sent again";
                let mut problem = Self { logged: Some(said), ..Self::new(Code::DatabaseUnavailable, detail) };
                problem.header(header::RETRY_AFTER, "1");
                problem
            }
        }
    }

    pub fn header(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
    }

    /// It may be kept for so many milliseconds, where the route's answers may: at least for a second, as rankings are.
    pub fn keep_for(&mut self, ms: u64) {
        self.kept_s = Some((ms / 1_000).max(1));
    }

    /// Something that is logged though it is the client's fault.
    pub fn logged_as(self, detail: String) -> Self {
        Self { logged: Some(detail), ..self }
    }

    pub fn code(&self) -> Code {
        self.code
    }

    /// For people.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// For how many seconds caches may keep it in place of a ranking. What the configuration has not is not there for as long as
    /// rankings of the board are fresh, if there is one.
    pub fn kept_s(&self, board: Option<&Board>) -> Option<u64> {
        let fresh_s = board.map_or(Board::FRESH_S, |board| board.fresh_s);
        let of_configuration = Some(u64::from(fresh_s).min(MAX_AGE_S));
        if self.code.status() == StatusCode::NOT_FOUND { self.kept_s.or(of_configuration) } else { None }
    }

    /// What to log: of a 5xx what Redis or the runtime said, of a refused click the refusal, and what is to be logged anyway.
    fn logged(&self, is_click: bool) -> Option<Logged> {
        let level = match self.code.status() {
            // There may be thousands; they are counted.
            _ if self.code == Code::TooManyRequests => return None,
            // It is, once an hour.
            _ if matches!(self.code, Code::BindingMissing | Code::BindingNeeded) => return None,
            // It was, with the script's name.
            _ if self.code == Code::ScriptFailed => return None,
            status if status.is_server_error() => Level::Error,
            _ if is_click || self.logged.is_some() => Level::Warn,
            _ => return None,
        };
        let detail = self.logged.as_ref().unwrap_or(&self.detail).clone();
        Some(Logged { level, code: self.code.name(), detail })
    }

    /// `is_click`: a refusal is logged as well, since nobody may look at the answer.
    pub fn into_response(self, is_click: bool) -> Response<Vec<u8>> {
        let logged = self.logged(is_click);
        let status = self.code.status();
        let document = Document {
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            code: self.code.name(),
            detail: &self.detail,
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut response = uncached(status, "application/problem+json", body);
        response.headers_mut().extend(self.headers);
        if let Some(logged) = logged {
            response.extensions_mut().insert(logged);
        }
        response
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::new(Code::Event(refusal.code), refusal.detail)
    }
}

impl From<NotCounted> for Problem {
    fn from(not: NotCounted) -> Self {
        match not {
            NotCounted::Refused(refusal) => refusal.into(),
            NotCounted::TooMany { wait_s } => Self::too_many(wait_s),
            NotCounted::Failed(failure) => Self::redis(failure),
        }
    }
}
