//! What the database has of a site that was made while the deployment runs.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ranking::name::Name;
use ranking::token::{Right, Tokens, digest_of};
use serde::{Deserialize, Serialize};

use crate::app::database::{Row, number};
use crate::config::SitesSecret;

/// How a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Active,
    /// Nothing is counted or changed; it is read.
    Suspended,
    /// It is being deleted.
    Going,
    /// It is there no more, and its name is free.
    Freed,
}

impl State {
    /// Those that somebody can have it be in.
    pub const NAMES: [(&str, Self); 2] = [("active", Self::Active), ("suspended", Self::Suspended)];
    const EACH: [(&str, Self); 4] = [Self::NAMES[0], Self::NAMES[1], ("going", Self::Going), ("gone", Self::Freed)];

    pub fn read(text: &str) -> Option<Self> {
        Self::EACH.into_iter().find(|(name, _)| *name == text).map(|(_, state)| state)
    }

    pub fn name(self) -> &'static str {
        Self::EACH.into_iter().find(|(_, state)| *state == self).map_or("", |(name, _)| name)
    }
}

/// A site as it is stored.
#[derive(Clone, Debug)]
pub struct Record {
    pub name: Name,
    /// How often it was changed, and 1.
    pub version: i64,
    pub state: State,
    /// The table that wrangler.toml would have, as JSON.
    pub configuration: String,
    pub tokens: SiteTokens,
    /// Unix milliseconds.
    pub made_ms: i64,
    pub changed_ms: i64,
    /// Since when it is being deleted; 0: it is not.
    pub going_ms: i64,
    pub deleted: Deleted,
    /// Members, where it has a quota of them, and when they were counted (Unix milliseconds); 0: never.
    pub members: u32,
    pub counted_ms: i64,
    /// Why a version of the worker refused it when upkeep saw it last; empty: it did not.
    pub refused: String,
}

/// How far deleting a site is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Deleted {
    /// Keys of Redis, objects of the archive, and rows of the database that are deleted.
    pub keys: u64,
    pub objects: u64,
    pub rows: u64,
    /// Whether nothing of it is in Redis any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_out_of_redis: bool,
    /// Where the scan of the keys goes on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cursor: String,
    /// The keys that this scan deleted.
    pub of_scan: u64,
    /// Scans one after the other that found none.
    pub clean_scans: u32,
}

impl Record {
    pub fn read(row: &Row) -> Option<Self> {
        let text = |column: &str| row.get(column)?.as_str();
        Some(Self {
            name: Name::new(text("name")?)?,
            version: number(row, "version")?,
            state: State::read(text("state")?)?,
            configuration: text("configuration")?.into(),
            tokens: serde_json::from_slice(text("tokens")?.as_bytes()).ok()?,
            made_ms: number(row, "made_at")?,
            changed_ms: number(row, "changed_at")?,
            going_ms: number(row, "going_at").unwrap_or_default(),
            members: number(row, "members").and_then(|members| u32::try_from(members).ok()).unwrap_or_default(),
            counted_ms: number(row, "counted_at").unwrap_or_default(),
            refused: text("refused").unwrap_or_default().into(),
            deleted: row.get("deleted").and_then(|text| serde_json::from_slice(text.as_str()?.as_bytes()).ok()).unwrap_or_default(),
        })
    }
}

/// What is issued to a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A token of its servers.
    Write,
    /// A token of its owners.
    Admin,
    /// The secret that signs the tokens of its actors.
    Actor,
    /// The secret that signs what is handed on.
    Forward,
}

impl Kind {
    pub const EACH: [Self; 4] = [Self::Write, Self::Admin, Self::Actor, Self::Forward];

    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Admin => "admin",
            Self::Actor => "actor",
            Self::Forward => "forward",
        }
    }

    pub fn read(text: &str) -> Option<Self> {
        Self::EACH.into_iter().find(|kind| kind.name() == text)
    }
}

/// What is valid of each kind, the oldest first: one, or two while one replaces the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteTokens {
    /// SHA-256, in base64url.
    write: Vec<String>,
    admin: Vec<String>,
    /// Generations: the instants at which they were issued, in Unix milliseconds.
    actor: Vec<i64>,
    forward: Vec<i64>,
}

impl SiteTokens {
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// How many of a kind are valid.
    pub fn count(&self, kind: Kind) -> usize {
        match kind {
            Kind::Write => self.write.len(),
            Kind::Admin => self.admin.len(),
            Kind::Actor => self.actor.len(),
            Kind::Forward => self.forward.len(),
        }
    }

    /// Issues one of a kind and answers it. The oldest stays valid beside it. A newer one, which may have got to nobody, is replaced.
    pub fn issue(&mut self, kind: Kind, site: &Name, secret: &SitesSecret, random: &str, now_ms: i64) -> String {
        match kind {
            Kind::Write | Kind::Admin => {
                let digests = if kind == Kind::Write { &mut self.write } else { &mut self.admin };
                digests.truncate(1);
                digests.push(URL_SAFE_NO_PAD.encode(digest_of(random)));
                random.into()
            }
            Kind::Actor | Kind::Forward => {
                let generations = if kind == Kind::Actor { &mut self.actor } else { &mut self.forward };
                // No two are of the same generation.
                let next = generations.iter().map(|generation| generation + 1).max().unwrap_or(now_ms).max(now_ms);
                generations.truncate(1);
                generations.push(next);
                secret.derive(site, kind.name(), next)
            }
        }
    }

    /// Ends the older one of two. `false`: there is one.
    pub fn end_older(&mut self, kind: Kind) -> bool {
        let is_replaced = self.count(kind) > 1;
        if is_replaced {
            match kind {
                Kind::Write => drop(self.write.remove(0)),
                Kind::Admin => drop(self.admin.remove(0)),
                Kind::Actor => drop(self.actor.remove(0)),
                Kind::Forward => drop(self.forward.remove(0)),
            }
        }
        is_replaced
    }

    /// The generation that signs what is handed on: the older one, until it ends.
    pub fn signs(&self) -> i64 {
        self.forward.first().copied().unwrap_or_default()
    }

    /// Adds what is valid on the site to the tokens of the deployment.
    pub fn grant(&self, tokens: &mut Tokens, site: &Name, secret: &SitesSecret) {
        for (right, digests) in [(Right::Write, &self.write), (Right::Admin, &self.admin)] {
            let decoded = digests.iter().filter_map(|digest| URL_SAFE_NO_PAD.decode(digest).ok()?.try_into().ok());
            decoded.for_each(|digest| tokens.grant_digest(right, site, digest));
        }
        for generation in &self.actor {
            tokens.grant(Right::Sign, Some(site), &secret.derive(site, Kind::Actor.name(), *generation));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use serde_json::json;

    fn secret() -> SitesSecret {
        let site = json!({ "actions": { "view": {} }, "boards": { "articles": { "weights": { "view": 1 }, "windows": ["day"] } } });
        let variables = [("SITES".to_owned(), json!({ "demo": site })), ("SITES_SECRET".to_owned(), json!("s".repeat(32)))];
        Config::read(variables, |_: &str| true).expect("valid").sites_secret.expect("one")
    }

    #[test]
    fn two_are_valid_while_one_replaces_the_other() {
        let (site, secret) = (Name::new("shop").expect("a name"), secret());
        let mut tokens = SiteTokens::default();
        let allowed = |tokens: &SiteTokens, given: &str| {
            let mut all = Tokens::default();
            tokens.grant(&mut all, &site, &secret);
            all.allow(Right::Write, &site, given)
        };
        let one = tokens.issue(Kind::Write, &site, &secret, "one", 1);
        let two = tokens.issue(Kind::Write, &site, &secret, "two", 2);
        // The answer got lost, and the request was sent again.
        let three = tokens.issue(Kind::Write, &site, &secret, "three", 3);
        assert_eq!([&one, &two, &three].map(|given| allowed(&tokens, given)), [true, false, true]);
        assert!(tokens.end_older(Kind::Write));
        assert_eq!([&one, &three].map(|given| allowed(&tokens, given)), [false, true]);
        assert!(!tokens.end_older(Kind::Write), "the last one stays");
        assert!(!tokens.text().contains(&three), "{}", tokens.text());
    }

    #[test]
    fn a_derived_secret_is_another_one_each_time() {
        let (site, secret) = (Name::new("shop").expect("a name"), secret());
        let mut tokens = SiteTokens::default();
        let issued: Vec<String> = (0..3).map(|_| tokens.issue(Kind::Forward, &site, &secret, "", 5)).collect();
        assert_eq!((tokens.forward.clone(), tokens.signs()), (vec![5, 7], 5));
        assert_eq!(issued[2], secret.derive(&site, "forward", 7));
        assert!(issued[0] != issued[1] && issued[1] != issued[2]);
    }
}
