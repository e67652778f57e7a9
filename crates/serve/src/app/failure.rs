//! What it means that Redis failed: what was written, and whether the same may succeed later.

use engine::adapter::{self, Applied};
use ranking::name::Id;

use super::statement::DatabaseError;

/// Redis did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// `false`: some of it was written, or may have been.
    pub nothing_written: bool,
    /// Whether the same may succeed later: Redis was out, or did not answer. Else it was refused.
    pub is_transient: bool,
    /// Where a script failed in a manner that it does not know, which was logged then.
    pub script: Option<ScriptFailure>,
    /// For the log: what the server or the runtime said. Never shown to clients.
    pub detail: String,
}

/// What is known of a call of which a script failed in a manner that it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptFailure {
    /// Whether it is certain that nothing was written where a script failed.
    pub is_undone: bool,
    /// Of a batch: the targets that counted it all the same, see [`Target::label`](ranking::counting::Target::label).
    pub counted: Vec<String>,
}

impl ScriptFailure {
    /// What is known by the error of one script.
    pub fn of(error: &adapter::Error) -> Option<Self> {
        error.is_of_script().then(|| Self { is_undone: error.applied() == Applied::No, counted: Vec::new() })
    }
}

impl Failure {
    /// A failure to read: nothing was to be written.
    pub fn of_read(error: &adapter::Error) -> Self {
        let script = ScriptFailure::of(error).map(|script| ScriptFailure { is_undone: true, ..script });
        Self { nothing_written: true, is_transient: error.is_transient(), script, detail: error.to_string() }
    }

    /// A failure to write, by what the error says of it.
    pub fn of_write(error: &adapter::Error) -> Self {
        let nothing_written = error.applied() == Applied::No;
        Self { nothing_written, is_transient: error.is_transient(), script: ScriptFailure::of(error), detail: error.to_string() }
    }

    /// What is done in Redis, and not beside it.
    pub fn unfinished(detail: String) -> Self {
        Self { nothing_written: false, is_transient: true, script: None, detail }
    }

    /// What failed after another attempt, of which it says nothing.
    pub fn after(self, nothing_written: bool) -> Self {
        Self { nothing_written: self.nothing_written && nothing_written, ..self }
    }
}

/// What a request would be too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// What its client may have done in a minute; it is to wait for so many seconds.
    Limit { wait_s: u64 },
    /// What the site's quota allows.
    Quota(OverQuota),
}

/// A site uses all that an option of its quota allows, and may go on after so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverQuota {
    pub option: &'static str,
    pub wait_s: u64,
}

/// Why there is no ranking.
#[derive(Clone, Debug)]
pub enum ReadError {
    /// Redis answered that it is not there, which holds for so many milliseconds more.
    Missing {
        what: Missing,
        remaining_ms: u64,
    },
    Failed(Failure),
    /// The client had Redis asked too often, or the site has used its quota.
    TooMuch(Over),
    /// Only the database could tell who is on the page.
    Undescribed(DatabaseError),
}

/// What is not there.
#[derive(Clone, Debug)]
pub enum Missing {
    /// The period is not one of the site's, or has not begun, or is no longer kept.
    Period(&'static str),
    /// The member is not shown on the board.
    Member(Id),
}
