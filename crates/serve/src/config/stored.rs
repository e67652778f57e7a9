//! Sites that are made while the deployment runs. They are read by the rules of those of wrangler.toml, less what only a binding gives.
//!
//! Their secrets are derived, so that no table holds one: see [`SitesSecret`].

use std::fmt;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac_sha256::HMAC;
use ranking::name::{Name, Named};
use ranking::page::version_of;
use ranking::site::{Forward, Limits, Quota, Receiver, Signature, Site, TotalsTo};
use serde_json::Value;

use super::bindings::Lack;
use super::deployment::check_rest;
use super::node::Node;
use super::rule::Whole;
use super::site::read_site;
use super::{BUCKET_BINDING, Config, ConfigError, DATABASE_BINDING, GROUP_BINDING, KnownZones, QUEUE_BINDING};

/// The name that no site has: its addresses are the deployment's own.
pub const RESERVED: &str = "admin";

/// `SITES_SECRET`, of which the secrets of sites are derived. Its `Debug` does not show it.
#[derive(Clone)]
pub struct SitesSecret(Rc<str>);

impl SitesSecret {
    /// Characters, at least.
    pub(super) const SHORTEST: usize = 32;

    pub(super) fn new(text: &str) -> Option<Self> {
        (text.len() >= Self::SHORTEST).then(|| Self(text.into()))
    }

    /// The secret of a site for one purpose. Neither names nor purposes hold a line feed, and a generation is an instant: so a site that has the
    /// name of one that is gone has other secrets.
    pub fn derive(&self, site: &Name, purpose: &str, generation: i64) -> String {
        let mut mac = HMAC::new(self.0.as_bytes());
        mac.update(format!("edgeboard sites\n{site}\n{purpose}\n{generation}"));
        URL_SAFE_NO_PAD.encode(mac.finalize())
    }
}

impl fmt::Debug for SitesSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SitesSecret")
    }
}

/// How Redis is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spoken {
    #[default]
    Tcp,
    Rest,
    Cluster,
}

/// What sites may need besides variables, as far as that was looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bound {
    pub redis: Spoken,
    pub groups: bool,
    pub queue: bool,
    /// A bucket, or a Redis in its place.
    pub bucket: bool,
}

/// A site that was made while the deployment runs, as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'s> {
    pub name: &'s Name,
    /// The table that wrangler.toml would have.
    pub configuration: &'s Value,
    /// Unix milliseconds.
    pub made_ms: i64,
    /// The generation of the secret that signs what is handed on.
    pub signs: i64,
}

impl Config {
    /// A site that was made while the deployment runs, and what it lacks.
    ///
    /// # Errors
    /// The first configuration error. A binding that is missing is none: see [`Config::lacks`].
    pub fn read_stored(&self, stored: Stored<'_>, zones: &impl KnownZones) -> Result<(Site, Vec<Lack>), ConfigError> {
        let Stored { name, configuration, made_ms, signs } = stored;
        let mut options = configuration.clone();
        let quota = options.as_object_mut().and_then(|options| options.remove("quota"));
        let node = Node { key: format!("SITES.{name}"), value: &options };
        let mut site = read_site(name, &node, zones)?;
        check_possible(&node, &site)?;
        if let Some(value) = quota {
            site.quota = read_quota(&Node { key: format!("{}.quota", node.key), value: &value }, &site)?;
        }
        site.made_ms = Some(made_ms);
        site.digest = version_of(format!("{} {made_ms} {signs}", site.digest).as_bytes());
        if let Some(Forward { to, .. }) = &mut site.forward
            && let Receiver::Webhook(address) = to
        {
            let secret = self.sites_secret.as_ref().map(|secret| secret.derive(name, "forward", signs)).unwrap_or_default();
            *to = Receiver::SignedWebhook(address.clone(), Signature(secret.into()));
        }
        let sites: Named<Rc<Site>> = [(name.clone(), Rc::new(site))].into_iter().collect();
        let mut alone = Self { sites, ..self.clone() };
        let is_bound = |binding: &str| self.is_bound(binding);
        alone.check_bindings(is_bound)?;
        if self.bound.redis == Spoken::Rest {
            check_rest(&alone)?;
        }
        alone.note_lacks(is_bound, false);
        let lacks = std::mem::take(&mut alone.lacks);
        let site = alone.sites.values().next().map(|site| Site::clone(site));
        site.map(|site| (site, lacks)).ok_or_else(|| ConfigError::new(format!("SITES.{name}"), "is missing"))
    }

    /// Refuses one that lacks something, as it is made.
    ///
    /// # Errors
    /// Those of [`Self::read_stored`], and what it lacks.
    pub fn check_stored(&self, stored: Stored<'_>, zones: &impl KnownZones) -> Result<(), ConfigError> {
        let (_, lacks) = self.read_stored(stored, zones)?;
        lacks.first().map_or(Ok(()), |lack| Err(ConfigError::line(&lack.line)))
    }

    /// The same with some sites besides.
    pub fn with_stored<'s>(&self, stored: impl IntoIterator<Item = (&'s Rc<Site>, &'s [Lack])>) -> Self {
        let mut config = self.clone();
        let mut sites = Vec::new();
        for (site, lacks) in stored {
            sites.push((site.name.clone(), Rc::clone(site)));
            config.lacks.extend(lacks.iter().cloned());
        }
        config.sites.extend(sites);
        config
    }

    fn is_bound(&self, binding: &str) -> bool {
        match binding {
            GROUP_BINDING => self.bound.groups,
            QUEUE_BINDING => self.bound.queue,
            DATABASE_BINDING => self.has_database,
            BUCKET_BINDING => self.bound.bucket,
            _ => false,
        }
    }

    /// What is bound, for sites that are made later.
    pub(super) fn note_bound(&mut self, is_bound: impl Fn(&str) -> bool, has_archive_redis: bool) {
        let redis = self.bound.redis;
        let bucket = has_archive_redis || is_bound(BUCKET_BINDING);
        self.bound = Bound { redis, groups: is_bound(GROUP_BINDING), queue: is_bound(QUEUE_BINDING), bucket };
    }

    /// Whether sites can be made while the deployment runs.
    pub fn makes_sites(&self) -> bool {
        self.sites_secret.is_some() && self.has_database
    }
}

/// What a site may have and use. It has no more boards from the beginning.
fn read_quota(node: &Node, site: &Site) -> Result<Quota, ConfigError> {
    let fields = node.fields(&["boards", "members", "commands_per_month"])?;
    let bound = |name: &str| fields.get(name).map(|node| node.read(&Whole(1..=u32::MAX))).transpose();
    let quota = Quota { boards: bound("boards")?, members: bound("members")?, commands_per_month: bound("commands_per_month")? };
    let configured = site.configured_boards();
    match fields.get("boards").filter(|_| quota.boards.is_some_and(|boards| boards < configured)) {
        Some(boards) => Err(boards.misplaced(&format!("beside {configured} boards in the configuration"))),
        None => Ok(quota),
    }
}

/// Refuses what only a binding of wrangler.toml gives, and addresses that are not public.
fn check_possible(node: &Node, site: &Site) -> Result<(), ConfigError> {
    let at =
        |key: &str, value: &str, why: &str| ConfigError::new(format!("{}.{key}", node.key), format!("= {value:?} is not allowed {why}"));
    match site.forward.as_ref().map(|forward| &forward.to) {
        Some(Receiver::Queue(queue)) => {
            return Err(at(
                "forward.queue",
                queue,
                "for a site that is made at run time: only wrangler.toml binds a queue; allowed: webhook",
            ));
        }
        Some(Receiver::Webhook(address)) if !is_public(address) => {
            let why = "for a site that is made at run time; allowed: an address of the public network that begins with https://";
            return Err(at("forward.webhook", address, why));
        }
        _ => {}
    }
    if site.limits != Limits::DEFAULT {
        let why = "is not allowed for a site that is made at run time: only a binding of wrangler.toml has another rate limit";
        return Err(ConfigError::new(format!("{}.limits", node.key), why));
    }
    for (name, board) in site.boards.iter() {
        if let Some(place) = board.totals.iter().position(|totals| matches!(totals.to, TotalsTo::Receiver(_))) {
            let why = "is not allowed for a site that is made at run time; allowed: \"d1\"";
            return Err(ConfigError::new(format!("{}.boards.{name}.totals[{place}].to", node.key), why));
        }
    }
    Ok(())
}

/// Whether an address is one of the public network, as far as it tells: a name with a dot that is not of a private zone. No address of a machine
/// is.
fn is_public(address: &str) -> bool {
    let Ok(uri) = address.parse::<http::Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_private = ["localhost", "local", "internal", "lan", "home", "corp", "test", "invalid", "arpa"].contains(&last);
    uri.scheme_str() == Some("https") && host.contains('.') && !is_private && last.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Config {
        let site = json!({ "actions": { "view": {} }, "boards": { "articles": { "weights": { "view": 1 }, "windows": ["day"] } } });
        let mut config = Config::read([("SITES".into(), json!({ "demo": site }))], |_: &str| true).expect("valid");
        config.has_database = true;
        config.sites_secret = SitesSecret::new(&"s".repeat(32));
        config
    }

    fn read(more: &Value) -> Result<(Site, Vec<Lack>), String> {
        let mut site = json!({ "actions": { "view": { "public": true } }, "boards": { "articles": { "weights": { "view": 1 }, "windows": ["day"] } } });
        let (Value::Object(site_table), Value::Object(more)) = (&mut site, more) else { panic!("tables") };
        site_table.extend(more.clone());
        let name = Name::new("shop").expect("a name");
        let stored = Stored { name: &name, configuration: &site, made_ms: 7, signs: 7 };
        config().read_stored(stored, &|zone: &str| zone != "Nowhere").map_err(|error| error.to_string())
    }

    #[test]
    fn a_site_is_checked_as_those_of_the_file() {
        let (site, lacks) = read(&json!({})).expect("valid");
        assert_eq!((site.name.as_str(), site.made_ms, lacks), ("shop", Some(7), Vec::new()));
        for (more, expected) in [
            (
                json!({ "timezone": "Nowhere" }),
                r#"SITES.shop.timezone = "Nowhere" is not allowed; allowed: an IANA time zone name like "Europe/Berlin""#,
            ),
            (json!({ "boards": 7 }), "SITES.shop.boards = 7 is not allowed; allowed: a table with at least one entry"),
            (
                json!({ "forward": { "queue": "EVENTS" } }),
                "SITES.shop.forward.queue = \"EVENTS\" is not allowed for a site that is made at run time: only wrangler.toml binds a queue; allowed: webhook",
            ),
            (
                json!({ "limits": { "misses": 7 } }),
                "SITES.shop.limits is not allowed for a site that is made at run time: only a binding of wrangler.toml has another rate limit",
            ),
            (
                json!({ "quota": { "board": 7 } }),
                "SITES.shop.quota.board = 7 is not allowed; allowed: the keys boards, members, commands_per_month; did you mean boards?",
            ),
            (
                json!({ "quota": { "members": 0 } }),
                "SITES.shop.quota.members = 0 is not allowed; allowed: a whole number from 1 to 4294967295",
            ),
            (
                json!({ "boards": { "a": { "weights": { "view": 1 }, "windows": ["day"] }, "b": { "weights": { "view": 1 }, "windows": ["day"] } }, "quota": { "boards": 1 } }),
                "SITES.shop.quota.boards = 1 is not allowed beside 2 boards in the configuration",
            ),
            (
                json!({ "ingest": "queue" }),
                "SITES.shop.ingest = \"queue\" needs the queue producer binding INGEST_QUEUE, which is not in the configuration file",
            ),
        ] {
            assert_eq!(read(&more).map(|_| ()).expect_err("refused"), expected, "{more}");
        }
    }

    #[test]
    fn a_quota_is_no_option_of_what_is_counted() {
        let (bare, _) = read(&json!({})).expect("valid");
        let (site, _) = read(&json!({ "quota": { "boards": 5, "commands_per_month": 1_000 } })).expect("valid");
        assert_eq!(site.quota, Quota { boards: Some(5), members: None, commands_per_month: Some(1_000) });
        assert_eq!((site.digest, bare.quota), (bare.digest, Quota::default()), "caches go on with what they have");
        let demo =
            json!({ "actions": { "view": {} }, "boards": { "articles": { "weights": { "view": 1 }, "windows": ["day"] } }, "quota": {} });
        let refused = Config::read([("SITES".into(), json!({ "demo": demo }))], |_: &str| true).map(|_| ()).expect_err("refused");
        assert_eq!(
            refused.to_string(),
            "SITES.demo.quota = {} is not allowed in wrangler.toml: only a site that is made at run time has a quota"
        );
    }

    #[test]
    fn what_is_handed_on_goes_to_public_addresses() {
        for (address, expected) in [
            ("https://example.com/hook", true),
            ("https://a.b.example.co.uk:8443/", true),
            ("http://example.com/", false),
            ("https://localhost/", false),
            ("https://127.0.0.1/", false),
            ("https://10.0.0.1/", false),
            ("https://[::1]/", false),
            ("https://2130706433/", false),
            ("https://127.1/", false),
            ("https://intranet/", false),
            ("https://db.internal/", false),
            ("https://printer.local./", false),
        ] {
            assert_eq!(is_public(address), expected, "{address}");
        }
        let (site, _) = read(&json!({ "forward": { "webhook": "https://example.com/hook" } })).expect("valid");
        let Some(Forward { to: Receiver::SignedWebhook(_, signature), .. }) = site.forward else { panic!("it is signed") };
        assert_eq!(*signature.0, *config().sites_secret.expect("one").derive(&site.name, "forward", 7));
    }

    #[test]
    fn secrets_are_of_one_site_one_purpose_and_one_generation() {
        let [shop, blog] = ["shop", "blog"].map(|name| Name::new(name).expect("a name"));
        let [one, other] = ["a", "b"].map(|text| SitesSecret::new(&text.repeat(32)).expect("long enough"));
        let secrets = [
            one.derive(&shop, "actor", 1),
            one.derive(&shop, "actor", 2),
            one.derive(&shop, "forward", 1),
            one.derive(&blog, "actor", 1),
            other.derive(&shop, "actor", 1),
        ];
        let each: std::collections::BTreeSet<_> = secrets.iter().collect();
        assert_eq!(each.len(), secrets.len());
        assert_eq!(one.derive(&shop, "actor", 1), secrets[0], "it is the same each time");
        assert!(SitesSecret::new(&"a".repeat(31)).is_none());
        assert_eq!(format!("{one:?}"), "SitesSecret");
    }
}
