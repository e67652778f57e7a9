//! The relational database, which a deployment may have: statements in, rows out. Its SQL is that of D1.
//!
//! Tables are made at first use: a statement that finds a table or a column missing has `migrations/` applied. Which files were applied stands in the
//! table `d1_migrations`, as `wrangler d1 migrations apply` keeps it.
//!
//! So a deployment, `npm start` and the tests need no step of their own, and `wrangler d1 migrations apply` finds nothing to
//! do.

pub use super::statement::{Answered, Argument, DatabaseError, NOW, Row, Statement, number};

use super::counters::{Counters, Series};
use super::ports::{Clock, Database, Runtime};
use crate::config::Binding;
use crate::config::Config;

/// The files of `migrations/`, in their order.
const MIGRATIONS: [(&str, &str); 17] = [
    ("0001_items.sql", include_str!("../../../../migrations/0001_items.sql")),
    ("0002_history.sql", include_str!("../../../../migrations/0002_history.sql")),
    ("0003_taken_down.sql", include_str!("../../../../migrations/0003_taken_down.sql")),
    ("0004_page_reads.sql", include_str!("../../../../migrations/0004_page_reads.sql")),
    ("0005_totals.sql", include_str!("../../../../migrations/0005_totals.sql")),
    ("0006_snapshots.sql", include_str!("../../../../migrations/0006_snapshots.sql")),
    ("0007_snapshot_pages.sql", include_str!("../../../../migrations/0007_snapshot_pages.sql")),
    ("0008_aliases.sql", include_str!("../../../../migrations/0008_aliases.sql")),
    ("0009_state_documents.sql", include_str!("../../../../migrations/0009_state_documents.sql")),
    ("0010_history_revisions.sql", include_str!("../../../../migrations/0010_history_revisions.sql")),
    ("0011_history_winners.sql", include_str!("../../../../migrations/0011_history_winners.sql")),
    ("0012_history_by_winner.sql", include_str!("../../../../migrations/0012_history_by_winner.sql")),
    ("0013_sites.sql", include_str!("../../../../migrations/0013_sites.sql")),
    ("0014_sites_going.sql", include_str!("../../../../migrations/0014_sites_going.sql")),
    ("0015_sites_refused.sql", include_str!("../../../../migrations/0015_sites_refused.sql")),
    ("0016_sites_members.sql", include_str!("../../../../migrations/0016_sites_members.sql")),
    ("0017_reached.sql", include_str!("../../../../migrations/0017_reached.sql")),
];
const MIGRATIONS_TABLE: &str = "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, \
     applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";
/// What the database says of a table or a column that was not made.
const NOT_MADE: [&str; 3] = ["no such table", "no such column", "has no column named"];
/// What it says of a column that another request made meanwhile.
const MADE_ALREADY: &str = "duplicate column name";

/// The tables of the relational database, where a deployment has one.
pub struct Tables<'a, R> {
    pub(super) clock: &'a dyn Clock,
    pub(super) config: &'a Config,
    pub(super) counters: &'a Counters,
    pub(super) database: &'a R,
}

impl<R: Runtime> Tables<'_, R> {
    /// Whether there is one.
    pub fn is_bound(&self) -> bool {
        self.database.database().is_some()
    }

    /// What is said where there is no database.
    pub fn no_database(&self) -> DatabaseError {
        self.config.lack_of(Binding::Database).map_or(DatabaseError::Absent, |lack| DatabaseError::Missing(lack.line.clone()))
    }

    /// Runs statements in one transaction, and answers the rows of each.
    ///
    /// # Errors
    /// When there is no database, or it does not answer.
    pub async fn query(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, DatabaseError> {
        let database = self.database.database().ok_or_else(|| self.no_database())?;
        // D1 takes no statements for an error.
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        let mut answer = self.ask_database(&database, statements).await;
        if answer.as_ref().is_err_and(|error| NOT_MADE.iter().any(|message| error.contains(message))) {
            migrate(&database).await.map_err(DatabaseError::Failed)?;
            answer = self.ask_database(&database, statements).await;
        }
        let rows = answer.map_err(DatabaseError::Failed)?;
        if rows.len() == statements.len() {
            return Ok(rows);
        }
        Err(DatabaseError::Failed(format!("{} statements were answered with {} lists of rows", statements.len(), rows.len())))
    }

    /// Runs statements, and counts that.
    async fn ask_database(&self, database: &R::Database, statements: &[Statement]) -> Result<Vec<Vec<Row>>, String> {
        let started_ms = self.clock.clock_ms();
        let answer = database.query(statements).await;
        let ms = self.clock.clock_ms().saturating_sub(started_ms);
        let (rows_read, rows_written) = answer.as_ref().map_or((0, 0), |answered| (answered.rows_read, answered.rows_written));
        let counted = [
            ("trips", 1),
            ("statements", statements.len() as u64),
            ("rows_read", rows_read),
            ("rows_written", rows_written),
            ("ms", ms),
            ("failed", answer.is_err().into()),
        ];
        for (what, by) in counted {
            self.counters.add(Series::Database, "", what, by);
        }
        answer.map(|answered| answered.lists)
    }
}

/// Applies each file that was not applied. Requests that do so at once do no harm: a file makes only what is not there, and one that adds
/// columns does nothing else.
async fn migrate(database: &impl Database) -> Result<(), String> {
    let known = Statement::new("SELECT name FROM d1_migrations", Vec::new());
    let answer = database.query(&[Statement::new(MIGRATIONS_TABLE, Vec::new()), known]).await?;
    let applied: Vec<&str> = answer.lists.iter().flatten().filter_map(|row| row.get("name")?.as_str()).collect();
    for (name, file) in MIGRATIONS.iter().filter(|(name, _)| !applied.contains(name)) {
        let parts = file.split(";\n").filter(|part| !part.trim().is_empty());
        let note = Statement::new("INSERT OR IGNORE INTO d1_migrations (name) VALUES (?1)", vec![(*name).into()]);
        let statements: Vec<Statement> = parts.map(|part| Statement::new(part, Vec::new())).chain([note]).collect();
        match database.query(&statements).await {
            Err(error) if !error.contains(MADE_ALREADY) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
