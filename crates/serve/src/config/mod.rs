//! The configuration: from the variables of wrangler.toml to sites that cannot be wrong.
//!
//! Reading stops at the first error, which is named with its key, its value and what is allowed.

mod bindings;
mod board;
mod deployment;
mod error;
mod forward;
mod node;
mod rule;
mod site;
mod stored;
mod template;
#[cfg(test)]
mod tests;
mod totals;
mod values;
mod variables;
mod window;
mod zone;

use std::rc::Rc;

use ranking::name::{Name, Named};
use ranking::read::ReplicaReads;
use ranking::site::{BEACON_PATH, Ingest, Receiver, ReplayWindow, Site};
use serde_json::{Map, Value};

pub use self::bindings::{BUCKET_BINDING, Binding, DATABASE_BINDING, Lack};
pub use self::deployment::{Analytics, ArchiveRedis, Deployment};
pub use self::error::ConfigError;
use self::node::Node;
use self::rule::{Duration, NameText, Rule, UnusedName, Whole};
use self::site::read_site;
pub use self::stored::{Bound, RESERVED, SitesSecret, Spoken, Stored};
use self::variables::Variables;
pub use self::variables::{DEMO, is_known};
pub use self::zone::KnownZones;

/// The namespace of the objects that gather events, in wrangler.toml.
pub const GROUP_BINDING: &str = "INGEST";
/// The queue that keeps events, in wrangler.toml.
pub const QUEUE_BINDING: &str = "INGEST_QUEUE";

/// The site of the demo page.
const DEMO_SITE: &str = "demo";

/// For how long Cloudflare lets a queue keep messages: <https://developers.cloudflare.com/queues/platform/limits/>
const QUEUE_RETENTION: Duration = Duration(60..=14 * 86_400);

/// What `LIVE_VIEWERS` may be at most: an object of the platform takes 32,768 sockets.
const MAX_LIVE_VIEWERS: u32 = 30_000;

/// What a deployment counts and ranks.
#[derive(Clone, Debug)]
pub struct Config {
    pub sites: Named<Rc<Site>>,
    /// `KEY_PREFIX`: what every key in Redis begins with. Deployments with different ones can share a Redis.
    pub key_prefix: Name,
    /// `BEACON_PATH`: what the module, the beacon and the pixel are called besides `beacon`, which filter lists know.
    pub beacon_path: Name,
    /// `QUEUE_RETENTION`: seconds for which the queue keeps messages.
    pub queue_retention_s: u32,
    /// Whether there is a database, as far as that was looked for. Rankings then have details by default.
    pub has_database: bool,
    /// What is configured and lacks its binding, as far as that was looked for.
    pub lacks: Vec<Lack>,
    /// What is bound, for sites that are made while the deployment runs.
    pub bound: Bound,
    /// `REDIS_REPLICA_READS`: what replicas of a cluster answer.
    pub replica_reads: ReplicaReads,
    /// `SITES_SECRET`; `None`: no sites are made while the deployment runs.
    pub sites_secret: Option<SitesSecret>,
}

impl Config {
    /// Reads `KEY_PREFIX`, `BEACON_PATH`, `QUEUE_RETENTION` and the variables whose name begins with `SITES` and that hold tables; they are merged. `knows_zone`
    /// tells whether the runtime knows a time zone.
    ///
    /// # Errors
    /// The first configuration error.
    pub fn read(variables: impl IntoIterator<Item = (String, Value)>, knows_zone: impl Fn(&str) -> bool) -> Result<Self, ConfigError> {
        Self::of(&mut Variables::new(variables)?, knows_zone)
    }

    /// Whether what the sites need besides variables is there. `is_bound` tells it of a binding of wrangler.toml.
    ///
    /// # Errors
    /// The first option that lacks its binding.
    pub fn check_bindings(&self, is_bound: impl Fn(&str) -> bool) -> Result<(), ConfigError> {
        let has_queue = is_bound(QUEUE_BINDING);
        for (name, site) in self.sites.iter() {
            let lacks = match site.ingest {
                Ingest::Grouped if !is_bound(GROUP_BINDING) => Some(format!("Durable Object binding {GROUP_BINDING}")),
                Ingest::Queue if !has_queue => Some(format!("queue producer binding {QUEUE_BINDING}")),
                _ => None,
            };
            if let Some(lacks) = lacks {
                let problem = format!("= \"{}\" needs the {lacks}, which is not in the configuration file", site.ingest.name());
                return Err(ConfigError::new(format!("SITES.{name}.ingest"), problem));
            }
            if let Some(Receiver::Queue(queue)) = site.forward.as_ref().map(|forward| &forward.to)
                && !is_bound(queue)
            {
                let problem = format!("= \"{queue}\" needs a queue with this binding, which is not in the configuration file");
                return Err(ConfigError::new(format!("SITES.{name}.forward.queue"), problem));
            }
            let templates = site.templates.iter().map(|(name, template)| (name, &template.board));
            let boards = site.boards.iter().map(|(name, board)| (name, &**board)).chain(templates);
            for (board, options) in boards.filter(|_| has_queue) {
                let (kept_s, retention_s) = (options.replay_window.queue_s, self.queue_retention_s);
                if kept_s < retention_s {
                    let [kept, retention] = [kept_s, retention_s].map(Duration::written);
                    let problem = format!(
                        "= {kept} is shorter than the queue keeps messages, which it may deliver again; allowed: at least QUEUE_RETENTION = {retention}"
                    );
                    return Err(ConfigError::new(format!("SITES.{name}.boards.{board}.replay_window.queue"), problem));
                }
            }
        }
        Ok(())
    }

    fn of(variables: &mut Variables, zones: impl KnownZones) -> Result<Self, ConfigError> {
        let mut sites = variables.take_sites()?;
        let demo = variables.take_demo().filter(|_| !sites.is_empty() && !sites.contains_key(DEMO_SITE));
        let has_demo = demo.is_some();
        sites.extend(demo.map(|table| (DEMO_SITE.to_owned(), table)));
        let sites = Value::Object(sites);
        let sites = Node { key: "SITES".into(), value: &sites };
        if sites.value.as_object().is_some_and(Map::is_empty) {
            return Err(sites.not_allowed("at least one site, as a table [vars.SITES.NAME]"));
        }
        let sites = sites.named(|name, site| {
            if name.as_str() == RESERVED {
                let problem =
                    "is not allowed as a name; allowed: another one, since the addresses below /v1/admin are the deployment's own";
                return Err(ConfigError::new(&site.key, problem));
            }
            let is_demo = has_demo && name.as_str() == DEMO_SITE;
            read_site(name, site, &zones).map(|site| Rc::new(Site { is_demo, ..site }))
        })?;
        let name = |variable, default: &str, rule: &dyn Rule<Read = Name>| {
            let default = default.into();
            variables.get(variable).unwrap_or(Node { key: String::new(), value: &default }).read(rule)
        };
        let (key_prefix, beacon_path) = (name("KEY_PREFIX", "eb", &NameText)?, name("BEACON_PATH", BEACON_PATH, &UnusedName)?);
        // Read by src/edge/live.js.
        variables.get("LIVE_VIEWERS").map(|viewers| viewers.read(&Whole(1..=MAX_LIVE_VIEWERS))).transpose()?;
        let retention = variables.get("QUEUE_RETENTION").map(|retention| retention.read(&QUEUE_RETENTION)).transpose()?;
        let queue_retention_s = retention.unwrap_or(ReplayWindow::DEFAULT.queue_s);
        Ok(Self {
            sites,
            key_prefix,
            beacon_path,
            queue_retention_s,
            has_database: false,
            lacks: Vec::new(),
            bound: Bound::default(),
            replica_reads: ReplicaReads::None,
            sites_secret: variables.sites_secret()?,
        })
    }
}
