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

/// The files of `migrations/`, in their order: their names and what they say.
const MIGRATIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));
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

    /// The message where there is no database.
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
