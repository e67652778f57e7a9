//! Everything that a deployment says of itself, its secrets included.

use engine::adapter::slots::AddressMap;
use engine::adapter::url::RedisUrl;
use ranking::name::nearest;
use ranking::read::ReplicaReads;
use ranking::site::{Acknowledge, Receiver, Site, TotalsTo};
use ranking::token::{LONG, Right, Tokens};
use ranking::visitor::VisitorKey;
use serde_json::Value;

use super::rule::OneOf;
use super::variables::Variables;
use super::{Config, ConfigError, KnownZones, Spoken};

/// A deployment: its sites, where its Redis is, and who may do more than anyone. Not `Debug`, for its secrets.
pub struct Deployment {
    pub config: Config,
    /// `REDIS_URL`.
    pub redis: RedisUrl,
    /// `REDIS_ADDRESS_MAP`; empty but where Redis is a cluster.
    pub address_map: AddressMap,
    /// `REDIS_LOCKS = "keys"`: calls declare their keys.
    pub locks_keys: bool,
    /// `REDIS_TOKEN`; not empty when Redis is spoken to by REST.
    pub redis_token: String,
    /// `ARCHIVE_REDIS_URL` and its token.
    pub archive: Option<ArchiveRedis>,
    pub tokens: Tokens,
    /// `FORWARD_SECRET`, which signs what webhooks get; not empty where there is one.
    pub forward_secret: String,
    /// Where the dataset of metrics is read; `None` without `ANALYTICS_TOKEN`.
    pub analytics: Option<Analytics>,
}

/// Refuses a site that waits for replicas: Redis tells who has the last write of a connection, and here nobody knows which connection that was.
pub(super) fn check_rest(config: &Config) -> Result<(), ConfigError> {
    match config.sites.values().find(|site| site.acknowledge == Acknowledge::Replicated) {
        Some(site) => Err(ConfigError::new(
            format!("SITES.{}.acknowledge", site.name),
            r#"= "replicated" is not allowed where REDIS_URL begins with https://: a replica is waited for on the connection that wrote, which REST does not tell; allowed: "written", or a REDIS_URL that begins with rediss://"#,
        )),
        None => Ok(()),
    }
}

/// The SQL of Analytics Engine: <https://developers.cloudflare.com/analytics/analytics-engine/sql-api/>
pub struct Analytics {
    pub address: String,
    pub token: String,
    pub dataset: String,
}

/// Another Redis, which has the archive.
pub struct ArchiveRedis {
    pub redis: RedisUrl,
    /// `ARCHIVE_REDIS_TOKEN`; not empty when it is spoken to by REST.
    pub token: String,
}

impl Deployment {
    /// Reads the variables that [`super::is_known`] knows. `zones` are those that the runtime knows.
    ///
    /// # Errors
    /// The first configuration error.
    pub fn read(variables: impl IntoIterator<Item = (String, Value)>, zones: impl KnownZones) -> Result<Self, ConfigError> {
        let mut variables = Variables::new(variables)?;
        let mut config = Config::of(&mut variables, zones)?;
        let (redis, redis_token) =
            read_redis(&variables, "REDIS_URL", "REDIS_TOKEN")?.ok_or_else(|| ConfigError::missing("REDIS_URL", RedisUrl::ALLOWED))?;
        config.bound.redis = match redis {
            RedisUrl::Cluster(_) => Spoken::Cluster,
            RedisUrl::Rest(_) => Spoken::Rest,
            RedisUrl::Tcp(_) => Spoken::Tcp,
        };
        if config.bound.redis == Spoken::Rest {
            check_rest(&config)?;
        }
        let address_map = read_address_map(&variables, &redis)?;
        let locks_keys = read_locks_keys(&variables, &redis)?;
        config.replica_reads = read_replica_reads(&variables, &redis)?;
        let archive = read_redis(&variables, "ARCHIVE_REDIS_URL", "ARCHIVE_REDIS_TOKEN")?;
        if matches!(archive, Some((RedisUrl::Cluster(_), _))) {
            return Err(ConfigError::secret_not_allowed(
                "ARCHIVE_REDIS_URL",
                "one server, since an object and the list of names change together",
            ));
        }
        let archive = archive.map(|(redis, token)| ArchiveRedis { redis, token });
        let forward_secret = read_forward_secret(&config, &variables)?;
        let mut tokens = read_tokens(&config, &variables)?;
        tokens.visitors = read_visitor_key(&variables)?;
        let analytics = read_analytics(&variables)?;
        Ok(Self { config, redis, address_map, locks_keys, redis_token, archive, tokens, forward_secret, analytics })
    }
}

/// `ANALYTICS_TOKEN`, a secret, with `ANALYTICS_ACCOUNT`; `ANALYTICS_DATASET` and `ANALYTICS_API` have defaults.
fn read_analytics(variables: &Variables) -> Result<Option<Analytics>, ConfigError> {
    const ACCOUNT: &str = "the id of the account, which has letters and digits only";
    let Some(token) = variables.secret("ANALYTICS_TOKEN")? else { return Ok(None) };
    let is_word = |text: &&str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let text = |name, default, is_allowed: &dyn Fn(&&str) -> bool, allowed| match variables.secret(name)? {
        Some(text) if !is_allowed(&text) => Err(ConfigError::secret_not_allowed(name, allowed)),
        text => Ok(text.unwrap_or(default)),
    };
    let account = text("ANALYTICS_ACCOUNT", "", &is_word, ACCOUNT)?;
    if account.is_empty() {
        return Err(ConfigError::missing("ANALYTICS_ACCOUNT", ACCOUNT));
    }
    let dataset = text("ANALYTICS_DATASET", "edgeboard", &is_word, "a name of letters, digits and _")?;
    let is_address = |text: &&str| text.starts_with("https://") || text.starts_with("http://127.0.0.1:");
    let api = text("ANALYTICS_API", "https://api.cloudflare.com/client/v4", &is_address, "an address that begins with https://")?;
    let address = format!("{api}/accounts/{account}/analytics_engine/sql");
    Ok(Some(Analytics { address, token: token.into(), dataset: dataset.into() }))
}

/// The address of a Redis and its token, where there is one. Each may hold a password.
fn read_redis(variables: &Variables, url: &str, token: &str) -> Result<Option<(RedisUrl, String)>, ConfigError> {
    let Some(text) = variables.secret(url)? else { return Ok(None) };
    let redis = RedisUrl::parse(text).ok_or_else(|| ConfigError::secret_not_allowed(url, RedisUrl::ALLOWED))?;
    let secret = variables.secret(token)?.unwrap_or_default().to_owned();
    if matches!(redis, RedisUrl::Rest(_)) && secret.is_empty() {
        return Err(ConfigError::missing(token, &format!("the token of the REST endpoint that {url} names")));
    }
    Ok(Some((redis, secret)))
}

/// Where nodes of a cluster are reached that announce other addresses.
fn read_address_map(variables: &Variables, redis: &RedisUrl) -> Result<AddressMap, ConfigError> {
    const NAME: &str = "REDIS_ADDRESS_MAP";
    let Some(node) = variables.get(NAME) else { return Ok(AddressMap::default()) };
    if !matches!(redis, RedisUrl::Cluster(_)) {
        return Err(node.misplaced("without ?cluster=true in REDIS_URL: it is about the nodes of a cluster"));
    }
    node.value.as_str().and_then(AddressMap::parse).ok_or_else(|| node.not_allowed(AddressMap::ALLOWED))
}

/// What a call locks on a server that locks by key.
fn read_locks_keys(variables: &Variables, redis: &RedisUrl) -> Result<bool, ConfigError> {
    let Some(node) = variables.get("REDIS_LOCKS") else { return Ok(false) };
    match (node.value.as_str(), redis) {
        (Some("database"), _) => Ok(false),
        (Some("keys"), RedisUrl::Cluster(_)) => {
            Err(node.misplaced("with ?cluster=true in REDIS_URL: it is about Upstash, which is no cluster"))
        }
        (Some("keys"), _) => Ok(true),
        _ => Err(node.not_allowed(r#""database" or "keys""#)),
    }
}

/// What replicas answer: of a cluster, periods that are over, unless it is configured.
fn read_replica_reads(variables: &Variables, redis: &RedisUrl) -> Result<ReplicaReads, ConfigError> {
    match (variables.get("REDIS_REPLICA_READS"), redis) {
        (None, RedisUrl::Cluster(_)) => Ok(ReplicaReads::Past),
        (None, _) => Ok(ReplicaReads::None),
        (Some(node), RedisUrl::Cluster(_)) => node.read(&OneOf::ANY),
        (Some(node), _) => Err(node.misplaced("without ?cluster=true in REDIS_URL: it is about the replicas of a cluster")),
    }
}

fn read_forward_secret(config: &Config, variables: &Variables) -> Result<String, ConfigError> {
    const ALLOWED: &str = "a secret of at least 16 characters, by which a webhook knows who sends to it";
    let forwards = |site: &Site| site.forward.as_ref().is_some_and(|forward| matches!(forward.to, Receiver::Webhook(_)));
    let hands_on =
        |site: &Site| site.boards.values().flat_map(|board| &board.totals).any(|totals| matches!(totals.to, TotalsTo::Receiver(_)));
    let has_webhook = |site: &Site| forwards(site) || hands_on(site);
    match variables.secret("FORWARD_SECRET")? {
        None if config.sites.values().any(|site| has_webhook(site)) => Err(ConfigError::missing("FORWARD_SECRET", ALLOWED)),
        Some(secret) if secret.len() < MIN_SECRET => Err(ConfigError::secret_not_allowed("FORWARD_SECRET", ALLOWED)),
        secret => Ok(secret.unwrap_or_default().into()),
    }
}

/// What visitors are keyed with: `VISITOR_SECRET`, else the first of the other secrets, at last the way to Redis, so that isolates agree
/// without another one. A made-up one would be another one in each. Not what reads metrics: others have it, and whom it tells apart would
/// change when it is added.
fn read_visitor_key(variables: &Variables) -> Result<Option<VisitorKey>, ConfigError> {
    const ALLOWED: &str = "text of at least 16 characters";
    let own = variables.secret("VISITOR_SECRET")?;
    if own.is_some_and(|secret| secret.len() < MIN_SECRET) {
        return Err(ConfigError::secret_not_allowed("VISITOR_SECRET", ALLOWED));
    }
    let is_key = |name: &str| Right::EACH.into_iter().any(|right| right != Right::Metrics && is_token(right, name));
    let tokens = || variables.names().filter(|name| is_key(name));
    let found = match own {
        Some(secret) => Some(secret),
        None => tokens().chain(["REDIS_TOKEN", "REDIS_URL"]).find_map(|name| variables.secret(name).ok().flatten()),
    };
    Ok(found.map(VisitorKey::new))
}

/// Characters of a secret, at least. The owner of a token can try secrets on it without asking anybody.
const MIN_SECRET: usize = LONG;

/// The tokens for all sites and for each: one in a variable, or two while one replaces the other.
fn read_tokens(config: &Config, variables: &Variables) -> Result<Tokens, ConfigError> {
    const TOKENS: &str = "a token, or two with a comma between them while one replaces the other";
    const SECRETS: &str = "a secret of at least 16 characters, or two with a comma between them while one replaces the other";
    let mut tokens = Tokens::default();
    for right in Right::EACH {
        for name in variables.names().filter(|name| is_token(right, name)) {
            let site = config.sites.iter().map(|(site, _)| site).find(|site| right.variable_of(site) == name);
            if site.is_none() && name != right.variable() {
                let known: Vec<String> = config.sites.iter().map(|(site, _)| right.variable_of(site)).collect();
                let nearest = nearest_of(name, &known);
                return Err(ConfigError::new(name, format!("names no site; allowed: {}", known.join(", "))).meant(nearest));
            }
            let texts: Vec<&str> = variables.secret(name)?.unwrap_or_default().split(',').map(str::trim).collect();
            let (allowed, shortest) = if right == Right::Sign { (SECRETS, MIN_SECRET) } else { (TOKENS, 1) };
            let is_short = |text: &&str| text.len() < shortest;
            if texts.len() > 2 || (texts != [""] && texts.iter().any(is_short)) {
                return Err(ConfigError::secret_not_allowed(name, allowed));
            }
            texts.into_iter().filter(|text| !text.is_empty()).for_each(|text| tokens.grant(right, site, text));
        }
    }
    Ok(tokens)
}

/// Whether a variable of that name holds tokens: those for all sites, or those for one.
pub(super) fn is_token(right: Right, name: &str) -> bool {
    name.strip_prefix(right.variable()).is_some_and(|site| site.is_empty() || site.starts_with('_'))
}

/// Compared as names of sites are, in lower case.
fn nearest_of<'k>(name: &str, known: &'k [String]) -> Option<&'k str> {
    let lower: Vec<String> = known.iter().map(|known| known.to_ascii_lowercase()).collect();
    let near = nearest(name, lower.iter().map(String::as_str))?;
    known.iter().map(String::as_str).find(|known| known.eq_ignore_ascii_case(near))
}
