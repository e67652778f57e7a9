//! Options that need a binding of wrangler.toml. `ingest` is not among them.
//!
//! A missing binding is a wrong configuration before a deployment, and a fault after it. One list of options serves both: `npm
//! start` and the checks of a deployment refuse by it, and a deployed worker reads it where it has no database or bucket to
//! ask. A request that changes copies is refused as a whole (`Route::touches_copies`): an erasure that leaves the archive alone
//! is none.

use ranking::facts::Sections;
use ranking::name::Name;
use ranking::site::{Members, Site, TotalsTo};

use super::{Config, ConfigError};

/// The database, in wrangler.toml.
pub const DATABASE_BINDING: &str = "DB";
/// The bucket of the archive, in wrangler.toml.
pub const BUCKET_BINDING: &str = "ARCHIVE";

/// What may be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Database,
    /// The bucket of the archive, for which another Redis may stand.
    Bucket,
}

/// An option whose binding is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    pub site: Name,
    pub binding: Binding,
    /// Its message.
    pub line: String,
}

impl Config {
    /// Notes whether there is a database, and which options lack their binding. `is_bound` tells it of a binding of wrangler.toml. A worker goes on without: it counts what it
    /// can count rightly, and says the line where it cannot do what is asked.
    pub fn note_lacks(&mut self, is_bound: impl Fn(&str) -> bool, has_archive_redis: bool) {
        self.note_bound(&is_bound, has_archive_redis);
        let (has_database, has_bucket) = (is_bound(DATABASE_BINDING), self.bound.bucket);
        let mut lacks = Vec::new();
        for (name, site) in self.sites.iter() {
            for (binding, option) in options_of(site) {
                let needs = match binding {
                    Binding::Database if !has_database => {
                        format!("the D1 database binding {DATABASE_BINDING}, which is not in the configuration file")
                    }
                    Binding::Bucket if !has_bucket => {
                        format!("the R2 bucket binding {BUCKET_BINDING}, which is not in the configuration file, or ARCHIVE_REDIS_URL")
                    }
                    _ => continue,
                };
                lacks.push(Lack { site: name.clone(), binding, line: format!("SITES.{name}.{option} needs {needs}") });
            }
        }
        self.lacks = lacks;
        self.has_database = has_database;
    }

    /// Refuses the first option that lacks its binding.
    ///
    /// # Errors
    /// When there is one.
    pub fn require_no_lacks(&self) -> Result<(), ConfigError> {
        self.lacks.first().map_or(Ok(()), |lack| Err(ConfigError::line(&lack.line)))
    }

    /// The first option that lacks a binding.
    pub fn lack_of(&self, binding: Binding) -> Option<&Lack> {
        self.lacks.iter().find(|lack| lack.binding == binding)
    }

    /// Why events of a site cannot be counted rightly, where they cannot: the database knows what their items belong to, and announces items.
    pub fn lack_to_count(&self, site: &Site) -> Option<&Lack> {
        let of_site = |lack: &&Lack| lack.site == site.name && lack.binding == Binding::Database;
        self.lacks.iter().find(of_site).filter(|_| site.asks_facts() || site.known_items)
    }
}

/// The options of a site that need a binding, as they are written.
fn options_of(site: &Site) -> Vec<(Binding, String)> {
    let mut options = Vec::new();
    if site.details_from_pages {
        options.push((Binding::Database, "details_from_pages = true".into()));
    }
    for (name, board) in site.boards.iter() {
        let mut add = |is_set: bool, binding, option: &str| {
            if is_set {
                options.push((binding, format!("boards.{name}.{option}")));
            }
        };
        // The boards of sections have the options of the one that is parted.
        add(board.members == Members::Authors, Binding::Database, "members = \"authors\"");
        add(matches!(board.sections, Sections::ByCategory(_)), Binding::Database, "sections = \"category\"");
        add(board.details == Some(true), Binding::Database, "details = true");
        add(board.history > 0, Binding::Database, &format!("history = {}", board.history));
        add(board.archive, Binding::Bucket, "archive = true");
        for (place, totals) in board.totals.iter().enumerate() {
            add(matches!(totals.to, TotalsTo::Database), Binding::Database, &format!("totals[{place}].to = \"d1\""));
        }
        let snapshot = board.snapshot.map(|snapshot| format!("snapshot = \"{}\"", snapshot.name()));
        add(snapshot.is_some(), Binding::Database, &snapshot.unwrap_or_default());
    }
    for (name, _) in site.templates.iter().filter(|(_, template)| template.board.archive) {
        options.push((Binding::Bucket, format!("boards.{name}.archive = true")));
    }
    options
}
