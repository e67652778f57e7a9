//! Problems: RFC 9457 documents with a stable `code`.

use http::header::{self, HeaderName};
use http::{HeaderValue, Response, StatusCode};
use interface::code::Code;
use ranking::site::Board;
use serde::Serialize;

use super::uncached;
use crate::app::admission::Over;
use crate::app::cache::MAX_AGE_S;
use crate::app::counting::{NotCounted, Refusal};
use crate::app::database::DatabaseError;
use crate::app::health::Unserved;
use crate::app::quota::OverQuota;
use crate::app::{Failure, Lack};

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
            (Code::RedisUnavailable, "Redis did not answer; nothing was written; try again; GET /readyz says what does not answer")
        } else {
            let detail = "Redis did not say whether everything was written; send the same again, with the same id it counts once";
            (Code::OutcomeUnknown, detail)
        };
        let mut problem = Self::new(code, detail);
        problem.header(header::RETRY_AFTER, "1");
        problem.logged = Some(failure.detail);
        problem
    }

    /// Some nodes of the cluster do not count.
    pub fn slots_unserved(unserved: &[Unserved]) -> Self {
        let slots: Vec<&str> = unserved.iter().map(|part| &*part.slots).collect();
        let mut problem = Self::new(Code::RedisUnavailable, format!("the cluster does not count in its slots {}", slots.join(" ")));
        problem.header(header::RETRY_AFTER, "1");
        let why: Vec<String> = unserved.iter().map(|part| format!("{}: {}", part.slots, part.why)).collect();
        problem.logged = Some(why.join("; "));
        problem
    }

    /// No replica has what is written, and a site acknowledges only what one has.
    pub fn unreplicated(unreplicated: &[Unserved]) -> Self {
        let slots: Vec<&str> = unreplicated.iter().map(|part| &*part.slots).filter(|slots| !slots.is_empty()).collect();
        let of_slots = if slots.is_empty() { String::new() } else { format!(" of the slots {}", slots.join(" ")) };
        let mut problem = Self::new(Code::RedisUnavailable, format!("no replica{of_slots} has what is written"));
        problem.header(header::RETRY_AFTER, "1");
        let why: Vec<&str> = unreplicated.iter().map(|part| &*part.why).collect();
        problem.logged = Some(why.join("; "));
        problem
    }

    /// The client asked too often.
    pub fn too_many(wait_s: u64) -> Self {
        let mut problem = Self::new(Code::TooManyRequests, "too many requests came from this address in a minute; wait");
        problem.header(header::RETRY_AFTER, &wait_s.to_string());
        problem
    }

    /// The client asked too often, or the site has used its quota.
    pub fn over(over: Over) -> Self {
        match over {
            Over::Limit { wait_s } => Self::too_many(wait_s),
            Over::Quota(OverQuota { option, wait_s }) => {
                let mut problem = Self::new(Code::Quota, format!("the site uses all that quota.{option} allows"));
                problem.header(header::RETRY_AFTER, &wait_s.to_string());
                problem
            }
        }
    }

    /// A binding is missing without which nothing can be done rightly.
    pub fn binding_needed(lacks: &[&Lack]) -> Self {
        let lines: Vec<&str> = lacks.iter().map(|lack| lack.line.as_str()).collect();
        let mut problem = Self::new(Code::BindingNeeded, lines.join("; "));
        problem.header(header::RETRY_AFTER, "60");
        problem
    }

    /// The database did not do it.
    pub fn database(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Absent => Self::new(Code::NoDatabase, "this deployment has no database: bind a D1 database as DB"),
            DatabaseError::Missing(line) => Self::new(Code::BindingMissing, line),
            DatabaseError::Failed(message) => {
                let detail = "the database or the archive did not answer; the same may be sent again";
                let mut problem = Self { logged: Some(message), ..Self::new(Code::DatabaseUnavailable, detail) };
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
            _ if matches!(self.code, Code::TooManyRequests | Code::Quota) => return None,
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
