//! What is known of items and actors besides their ids: made, read, changed and listed in the database.
//!
//! A write names the revision that it replaces, where it must be the one that somebody saw. So two who write at once lose nothing.
//! A revision is a digest of the details: writing the same again changes nothing, not even `updated_at`.
//!
//! # Out of scope
//! Boards: see [`serve::app::rankings`].
//!
//! # Decisions
//!
//! - The database holds details as one JSON object. No query uses its fields but category, author and date, which are generated
//!   columns. So items and actors share their statements, and a new field needs no migration.
//! - A patch that names no revision is tried again when another write came between. It merges its own fields only, so nobody's
//!   are lost.
//! - Instants are of the database's clock: only rankings need Redis's.

mod alias;
mod bulk;
mod filing;
mod page;
pub(super) mod reading;
pub(super) mod sql;
mod takedown;
mod unsettled;

pub use alias::{Alias, Refused};
pub use bulk::{Bulk, BulkRefusal, MAX_LINES, take_id};
pub use serve::app::details::{Details, Kind};
pub use takedown::Unfinished;
pub use unsettled::Allowance;

use ranking::name::{Id, Name};
use ranking::page::version_of;
use serde_json::{Map, Value};
use serve::app::agenda::Agenda;
use serve::app::catalog::Catalog;
use serve::app::database::{DatabaseError, Row, Statement, Tables};
use serve::app::details::known::KnownMembers;
use serve::app::ports::{Clock, Log, Random, Runtime};
use serve::app::redis::Redis;
use serve::app::templates::Templates;
use serve::config::Config;

use super::archive::erase::Amendments;
use super::corrections::Corrections;

/// What the database holds of an item or an actor.
#[derive(Clone, Debug)]
pub struct Described {
    pub id: Id,
    pub details: Details,
    /// Another one when the details are.
    pub revision: String,
    /// Unix milliseconds, by the database's clock.
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
}

/// Which revisions a write may replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Any one, or none.
    Any,
    /// None: it must be new.
    Nothing,
    /// There must be one.
    Something,
    /// One of these.
    Revisions(Vec<String>),
}

/// What became of a write.
#[derive(Debug)]
pub enum Written {
    Created(Described),
    Replaced(Described),
    /// What is there is not what was expected.
    Unexpected,
}

/// What became of a patch.
#[derive(Debug)]
pub enum Patched {
    Done(Described),
    Missing,
    /// What is there is not what was expected.
    Unexpected,
    /// Others went on writing meanwhile.
    Contended,
    /// For people: why the outcome is not allowed.
    NotAllowed(String),
}

/// A place in a list: what was changed later stands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub updated_at_ms: i64,
    pub id: Id,
}

/// How often a patch is tried when others write meanwhile. A try is four statements of the fifty that a free plan of D1 allows a request.
const TRIES: u32 = 12;
/// The first wait before another try is up to this long. Each further one may take twice as long, up to the longest: so those who came at
/// once come apart, and twelve tries wait for about three seconds in all.
const FIRST_WAIT_MS: u32 = 20;
const LONGEST_WAIT_MS: u32 = 1_000;

impl Expected {
    /// Whether a revision that is there may be replaced.
    fn allows(&self, revision: &str) -> bool {
        match self {
            Self::Any | Self::Something => true,
            Self::Nothing => false,
            Self::Revisions(revisions) => revisions.iter().any(|known| known == revision),
        }
    }
}

/// The items of sites in the database: details, aliases, deletions.
pub struct Items<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) amendments: Amendments<'a, R>,
    pub(in crate::app) catalog: Catalog<'a, R>,
    pub(in crate::app) corrections: Corrections<'a, R>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) templates: Templates<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) members: &'a KnownMembers,
    pub(in crate::app) pages: &'a R,
    pub(in crate::app) random: &'a dyn Random,
    pub(in crate::app) timer: &'a R,
}

impl<R: Runtime> Items<'_, R> {
    /// What is known of an item or an actor.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn described(&self, site: &Name, kind: Kind, id: &Id) -> Result<Option<Described>, DatabaseError> {
        let answer = self.tables.query(&[sql::find(site, kind, id)]).await?;
        answer.first().and_then(|rows| rows.first()).map(described).transpose()
    }

    /// Makes or replaces what is known of one.
    ///
    /// # Errors
    /// When the database does not answer; it may be done.
    pub async fn describe(
        &self,
        site: &Name,
        kind: Kind,
        id: &Id,
        details: &Details,
        expected: &Expected,
    ) -> Result<Written, DatabaseError> {
        let (json, revision) = kept(details)?;
        let find = sql::find(site, kind, id);
        let write = sql::write(site, kind, id, json, &revision, expected);
        let answer = self.change_details(&[find.clone(), write, find]).await?;
        let [before, written, after] = answer.as_slice() else { return Err(unlike("three lists of rows")) };
        let Some(after) = after.first() else { return Ok(Written::Unexpected) };
        Ok(match (written.is_empty(), before.is_empty()) {
            (true, _) => Written::Unexpected,
            (false, true) => Written::Created(described(after)?),
            (false, false) => Written::Replaced(described(after)?),
        })
    }

    /// Changes some of what is known of one, by a merge patch (RFC 7396).
    ///
    /// 1. What is there must be what is expected.
    /// 2. It is replaced if nobody else did so meanwhile. Else all of it is tried again, after a random wait.
    ///
    /// # Errors
    /// When the database does not answer; it may be done.
    pub async fn patch(
        &self,
        site: &Name,
        kind: Kind,
        id: &Id,
        patch: &Map<String, Value>,
        expected: &Expected,
    ) -> Result<Patched, DatabaseError> {
        for tried in 0..TRIES {
            if tried > 0 {
                self.timer.sleep_ms(self.wait_ms(tried)).await;
            }
            let Some(known) = self.described(site, kind, id).await? else { return Ok(Patched::Missing) };
            if !expected.allows(&known.revision) {
                return Ok(Patched::Unexpected);
            }
            let details = match known.details.patched(kind, patch) {
                Ok(details) => details,
                Err(why) => return Ok(Patched::NotAllowed(why)),
            };
            let seen = Expected::Revisions(vec![known.revision]);
            if let Written::Created(now) | Written::Replaced(now) = self.describe(site, kind, id, &details, &seen).await? {
                return Ok(Patched::Done(now));
            }
        }
        Ok(Patched::Contended)
    }

    /// Runs statements that change details. This isolate remembers none from then on.
    async fn change_details(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, DatabaseError> {
        let answer = self.tables.query(statements).await;
        // It may be done where it failed.
        self.members.change(self.clock.clock_ms());
        answer
    }

    /// How long a request waits that others came before, so many times: a random part of a time that doubles.
    fn wait_ms(&self, tried: u32) -> u32 {
        let longest_ms = (FIRST_WAIT_MS << (tried - 1).min(16)).min(LONGEST_WAIT_MS);
        let random = self.random.token().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0x8000);
        longest_ms * random / 0xffff
    }

    /// Forgets what is known of one.
    ///
    /// # Errors
    /// When the database does not answer; it may be done.
    pub async fn forget(&self, site: &Name, kind: Kind, id: &Id) -> Result<(), DatabaseError> {
        self.change_details(&[sql::delete(site, kind, id)]).await.map(drop)
    }

    /// What was changed last, from a place on; and the place behind it, where there is more. What is made or deleted meanwhile moves
    /// nothing: a list that is read to its end names nobody twice, and misses nobody that nobody touched.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list_described(
        &self,
        site: &Name,
        kind: Kind,
        from: Option<&Cursor>,
        limit: u32,
    ) -> Result<(Vec<Described>, Option<Cursor>), DatabaseError> {
        let answer = self.tables.query(&[sql::list(site, kind, from, limit + 1)]).await?;
        let rows = answer.into_iter().next().unwrap_or_default();
        let mut found = rows.iter().map(described).collect::<Result<Vec<_>, _>>()?;
        let has_more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let last = found.last().map(|last| Cursor { updated_at_ms: last.updated_at_ms, id: last.id.clone() });
        Ok((found, last.filter(|_| has_more)))
    }
}

/// Details as the database keeps them, and their revision.
fn kept(details: &Details) -> Result<(String, String), DatabaseError> {
    let json = serde_json::to_string(details.json()).map_err(|error| DatabaseError::Failed(error.to_string()))?;
    let revision = version_of(json.as_bytes());
    Ok((json, revision))
}

fn described(row: &Row) -> Result<Described, DatabaseError> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds of this age are whole, and far below 2^53")]
    let number = |name: &str| row.get(name).and_then(Value::as_f64).map(|ms| ms as i64);
    let read = || {
        Some(Described {
            id: Id::kept(text("id")?)?,
            details: Details::stored(text("details")?)?,
            revision: text("revision")?.into(),
            created_at_ms: number("created_at")?,
            updated_at_ms: number("updated_at")?,
        })
    };
    read().ok_or_else(|| unlike("a row of the table"))
}

fn unlike(expected: &str) -> DatabaseError {
    DatabaseError::Failed(format!("the database answered something else than {expected}"))
}
