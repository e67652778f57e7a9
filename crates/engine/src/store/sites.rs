//! When upkeep looks at the sites that were made at run time: `lua/enter_sites.lua`, `lua/due_sites.lua` and `lua/rest_sites.lua`.

use ranking::name::Name;
use ranking::zone::Zones;

use super::scripts::{DueSitesArgs, DueSitesReply, EnterSitesArgs, EnterSitesName, RestSitesArgs, RestSitesName};
use super::{Store, keys};
use crate::adapter::{Error, Transport, Value};

/// No rest is longer than that, but for a clock that was ahead: sites that Redis lost are looked at over days where they are many.
const LONGEST_S: i64 = 7 * 86_400;

/// For so long nothing changed on a site of which that is not known.
pub const UNKNOWN_S: u64 = 86_400;

/// The sites that upkeep is to look at now.
#[derive(Debug)]
pub struct DueSites {
    /// Unix seconds.
    pub now_s: i64,
    /// Seconds until it is to look at another one; `None`: now, or at none.
    pub rest_s: Option<u64>,
    pub sites: Vec<DueSite>,
}

#[derive(Clone, Debug)]
pub struct DueSite {
    pub name: String,
    /// When something last changed there, as far as upkeep knows, as Redis writes it; empty where that is not known.
    changed: String,
}

impl DueSite {
    /// When something last changed there, in Unix seconds, as far as that is known.
    pub fn changed_s(&self) -> Option<i64> {
        self.changed.parse().ok()
    }
}

/// Some of the sites that Redis lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost<'n> {
    pub names: &'n [Name],
    /// How many were entered before these.
    pub before: usize,
    /// Whether these are the last ones.
    pub is_last: bool,
    /// How many are looked at in each minute.
    pub in_minute: u32,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Has upkeep look at sites where something changed.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn enter_sites(&self, names: &[Name]) -> Result<(), Error> {
        let [due_set, changes] = self.sites_keys();
        let call = EnterSitesArgs { due_set, changes, lost: 0, before: 0, in_minute: 1, last: 0, names: entered(names) };
        self.call_once(call).await.map(drop)
    }

    /// Has upkeep look at sites that Redis lost, over time.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn enter_lost_sites(&self, lost: Lost<'_>) -> Result<(), Error> {
        let Lost { names, before, is_last, in_minute } = lost;
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        let ([due_set, changes], names) = (self.sites_keys(), entered(names));
        let call = EnterSitesArgs { due_set, changes, lost: 1, before, in_minute: in_minute.into(), last: is_last.into(), names };
        self.call_once(call).await.map(drop)
    }

    /// The sites that upkeep is to look at now, so many at most; `None`: Redis lost them, see [`Self::enter_lost_sites`].
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn due_sites(&self, most: u32) -> Result<Option<DueSites>, Error> {
        let [due_set, changes] = self.sites_keys();
        Ok(match self.call_once(DueSitesArgs { due_set, changes, most: most.into() }).await? {
            DueSitesReply::Lost {} => None,
            DueSitesReply::Ok { now, rest, sites } => {
                let sites = sites.into_iter().map(|site| DueSite { name: site.name, changed: site.changed }).collect();
                Some(DueSites { now_s: now, rest_s: Some(rest).filter(|rest| *rest > 0), sites })
            }
        })
    }

    /// Notes when upkeep looks at sites again (Unix seconds); 0: when somebody enters them. It is not noted where something changed in between.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn rest_sites(&self, sites: &[(DueSite, i64)]) -> Result<(), Error> {
        let name = |(site, at): &(DueSite, i64)| RestSitesName { name: site.name.clone(), changed: site.changed.clone(), at: *at };
        let names = sites.iter().map(name).collect();
        let [due_set, changes] = self.sites_keys();
        self.call_once(RestSitesArgs { due_set, changes, longest: LONGEST_S, unknown: UNKNOWN_S.cast_signed(), names }).await.map(drop)
    }

    /// When the name of a deleted site was freed last, as far as this Redis knows (Unix milliseconds); 0: never.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn freed_ms(&self) -> Result<i64, Error> {
        let freed = self.one(["GET", &keys::freed_key(self.key_prefix)].into_iter().collect()).await?;
        let Value::BulkString(freed) = freed else { return Ok(0) };
        Ok(str::from_utf8(&freed).ok().and_then(|freed| freed.parse().ok()).unwrap_or_default())
    }

    /// Notes that the name of a deleted site is freed.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn note_freed(&self, at_ms: i64) -> Result<(), Error> {
        self.one(["SET", &keys::freed_key(self.key_prefix), &at_ms.to_string()].into_iter().collect()).await.map(drop)
    }

    fn sites_keys(&self) -> [String; 2] {
        keys::sites_keys(self.key_prefix)
    }
}

fn entered(names: &[Name]) -> Vec<EnterSitesName> {
    names.iter().map(|name| EnterSitesName { name: name.as_str().into() }).collect()
}
