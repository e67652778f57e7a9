//! Making, changing and listing sites while the deployment runs.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ranking::name::Name;
use ranking::site::Site;
use ranking::token::digest_of;
use serde_json::{Map, Value};
use serve::app::database::{DatabaseError, number};
use serve::app::ports::Runtime;
use serve::app::sites::record::{Deleted, Kind, Record, SiteTokens, State};
use serve::app::sites::{sql, unreadable};
use serve::config::{SitesSecret, Stored};

use super::SiteAdministration;

/// Tries to change what others change at the same time.
const TRIES: usize = 4;
/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

/// What was issued, by its kind.
pub type Issued = Vec<(Kind, String)>;

/// Why a site was not changed.
#[derive(Debug)]
pub enum NotChanged {
    /// There is none of this name.
    Missing,
    /// Its configuration is not allowed: the line that says why.
    Refused(String),
    /// It is being deleted.
    Going,
    /// Others went on changing it.
    Contended,
    /// Nothing is to be changed.
    NothingToEnd,
    Failed(DatabaseError),
}

impl From<DatabaseError> for NotChanged {
    fn from(error: DatabaseError) -> Self {
        Self::Failed(error)
    }
}

/// Some sites, in the order of their names.
pub struct Listed {
    /// How many there are.
    pub total: i64,
    pub records: Vec<Record>,
}

impl<R: Runtime> SiteAdministration<'_, R> {
    /// The secret of which those of sites are derived; `None`: no sites are made at run time.
    pub fn secret(&self) -> Option<&SitesSecret> {
        self.sites.config.sites_secret.as_ref()
    }

    /// A site, from the database.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn get(&self, name: &Name) -> Result<Option<Record>, DatabaseError> {
        Ok(self.row(name).await?.filter(|record| record.state != State::Freed))
    }

    async fn row(&self, name: &Name) -> Result<Option<Record>, DatabaseError> {
        let rows = self.sites.tables.query(&[sql::find(name)]).await?;
        let Some(row) = rows.first().and_then(|rows| rows.first()) else { return Ok(None) };
        Record::read(row).map(Some).ok_or_else(|| unreadable(name))
    }

    /// Some sites in the order of their names, from the one behind another on.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn list(&self, after: &str, limit: u32) -> Result<Listed, DatabaseError> {
        let answers = self.sites.tables.query(&[sql::count(), sql::list(after, limit)]).await?;
        let [total, rows] = &answers[..] else { return Ok(Listed { total: 0, records: Vec::new() }) };
        let total = total.first().and_then(|row| number(row, "total")).unwrap_or_default();
        Ok(Listed { total, records: rows.iter().filter_map(Record::read).collect() })
    }

    /// A site that has a quota, and is served.
    pub fn with_quota(&self, record: &Record) -> Option<Rc<Site>> {
        self.sites.note_members(record);
        let site = self.sites.serving(record.clone()).configured.ok()?.site;
        (site.quota.is_bounded() && record.state != State::Going).then_some(site)
    }

    /// Why this version of the worker does not serve a site; `None`: it does.
    pub fn refusal(&self, record: &Record) -> Option<String> {
        self.sites.serving(record.clone()).configured.err()
    }

    /// Makes a site, and answers what was issued to it; or replaces the configuration of one that is there, to which nothing is issued.
    ///
    /// # Errors
    /// Why not. Doing it again does no harm; what was issued by a request whose answer got lost is known to nobody.
    pub async fn put(&self, name: &Name, configuration: &Map<String, Value>, secret: &SitesSecret) -> Result<(Record, Issued), NotChanged> {
        let value = Value::Object(configuration.clone());
        let text = value.to_string();
        for _ in 0..TRIES {
            let known = self.get(name).await?;
            let now_ms = self.sites.clock.edge_ms();
            if known.as_ref().is_some_and(|known| known.state == State::Going) {
                return Err(NotChanged::Going);
            }
            let (record, issued) = if let Some(known) = known {
                (Record { version: known.version + 1, configuration: text.clone(), changed_ms: now_ms, ..known }, Vec::new())
            } else {
                let mut tokens = SiteTokens::default();
                let issue = |kind| (kind, tokens.issue(kind, name, secret, &self.random_token(), now_ms));
                let issued: Issued = Kind::EACH.into_iter().map(issue).collect();
                let (name, configuration) = (name.clone(), text.clone());
                let (state, deleted) = (State::Active, Deleted::default());
                let record = Record {
                    name,
                    version: 1,
                    state,
                    configuration,
                    tokens,
                    made_ms: now_ms,
                    changed_ms: now_ms,
                    going_ms: 0,
                    deleted,
                    members: 0,
                    counted_ms: 0,
                    refused: String::new(),
                };
                (record, issued)
            };
            let stored = Stored { name, configuration: &value, made_ms: record.made_ms, signs: record.tokens.signs() };
            self.sites.config.check_stored(stored, &self.sites.zones).map_err(|error| NotChanged::Refused(error.to_string()))?;
            if self.write(&record).await? {
                return Ok((record, issued));
            }
        }
        Err(NotChanged::Contended)
    }

    /// Lets a site count again, or keeps it from counting and from being changed.
    ///
    /// # Errors
    /// Why not.
    pub async fn set_state(&self, name: &Name, state: State) -> Result<Record, NotChanged> {
        self.change(name, |record| record.state = state).await
    }

    /// Issues a token or a secret. The older one of its kind stays valid beside it.
    ///
    /// # Errors
    /// Why not.
    pub async fn issue(&self, name: &Name, kind: Kind, secret: &SitesSecret) -> Result<(Record, String), NotChanged> {
        let (mut issued, random, now_ms) = (String::new(), self.random_token(), self.sites.clock.edge_ms());
        let record = self.change(name, |record| issued = record.tokens.issue(kind, name, secret, &random, now_ms)).await?;
        Ok((record, issued))
    }

    /// Ends the older one of two tokens or secrets.
    ///
    /// # Errors
    /// Why not.
    pub async fn end_older(&self, name: &Name, kind: Kind) -> Result<Record, NotChanged> {
        let mut is_ended = false;
        let record = self.change(name, |record| is_ended = record.tokens.end_older(kind)).await?;
        if is_ended { Ok(record) } else { Err(NotChanged::NothingToEnd) }
    }

    /// Begins to delete a site. One that is going already goes on.
    ///
    /// # Errors
    /// Why not. Doing it again does no harm.
    pub async fn end(&self, name: &Name) -> Result<Record, NotChanged> {
        let ended = self.sites.tables.query(&[sql::end(name, self.sites.clock.edge_ms())]).await;
        self.sites.renew(name).await;
        ended?;
        self.get(name).await?.ok_or(NotChanged::Missing)
    }

    /// Changes the record of a site. A record that another request changed meanwhile is read again. One that stays the same is not written.
    async fn change(&self, name: &Name, mut change: impl FnMut(&mut Record)) -> Result<Record, NotChanged> {
        for _ in 0..TRIES {
            let known = self.get(name).await?.ok_or(NotChanged::Missing)?;
            if known.state == State::Going {
                return Err(NotChanged::Going);
            }
            let mut record = known.clone();
            change(&mut record);
            if (record.state, &record.tokens) == (known.state, &known.tokens) {
                return Ok(known);
            }
            record.version += 1;
            record.changed_ms = self.sites.clock.edge_ms();
            if self.write(&record).await? {
                return Ok(record);
            }
        }
        Err(NotChanged::Contended)
    }

    /// Writes a record. `false`: somebody else did so since it was read.
    async fn write(&self, record: &Record) -> Result<bool, DatabaseError> {
        let statement = if record.version == 1 { sql::insert(record) } else { sql::replace(record) };
        let answer = self.sites.tables.query(&[statement]).await;
        // Also where it is not known whether it was written.
        self.sites.renew(&record.name).await;
        self.sites.enter_in_background(&record.name);
        Ok(answer?.first().is_some_and(|rows| !rows.is_empty()))
    }

    /// A token that nobody can guess: 128 bits, of two words of 122 random bits each.
    fn random_token(&self) -> String {
        let digest = digest_of(&format!("{}\n{}", self.sites.random.token(), self.sites.random.token()));
        URL_SAFE_NO_PAD.encode(&digest[..TOKEN_BYTES])
    }
}
