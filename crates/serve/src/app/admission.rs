//! Admission: the limits of clients, and the clicks that do not count.
//!
//! # Decisions
//!
//! - A rate limit is a binding of Workers where the `limits` of the site are those of `wrangler.toml`, since no variable can
//!   change the limit of a binding. Other limits are counted in the isolate ([`super::rates`]).
//! - The limit of reads is taken where Redis is asked, after the caches, so hits cost nothing more.
//! - Bots are found by one regular expression of the runtime. The list of isbot takes 2 KB and 3 µs. That of
//!   crawler-user-agents is ten times as long and four times as slow. Shapes that no user agent of a browser has are left out
//!   of it: they are no declaration.
//! - Cloudflare's verdict is looked for a hundred times, then no more where there is none: `request.cf` costs a parse.

use std::rc::Rc;

use ranking::address::Address;
use ranking::site::{Bots, Limits, Site};

pub use super::rates::Limited;

use super::counters::{Counters, Series};
pub use super::failure::Over;
use super::failure::ReadError;
use super::ports::{Clock, Log, Runtime};
use super::price::Cost;
use super::quota::Quotas;
use super::rates::Rates;

/// Whose limit it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Asker {
    /// An address, or a network of them.
    Network(u64),
    /// A live ranking, which looks for all who watch it.
    Live(String),
}

/// What is taken of a limit.
#[derive(Clone, Copy, Debug)]
struct Taken {
    limited: Limited,
    price: u32,
    /// Whether it is the first that the request takes: the runtime's own limit counts requests.
    is_first: bool,
}

/// What a request tells of who sends a click.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client<'r> {
    pub address: Option<&'r str>,
    pub user_agent: &'r str,
    /// `Sec-Purpose` or what came before it: browsers say there that they only prepare.
    pub purpose: &'r str,
}

/// Whether a click counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Counted,
    /// It is of nobody who reads.
    Dropped,
    /// There were too many; wait for so many seconds.
    Refused {
        wait_s: u64,
    },
}

/// How often requests came, in this isolate.
pub struct RequestRates {
    beacons: Rates,
    misses: Rates,
}

impl RequestRates {
    /// `seed`: what nobody can guess.
    pub fn new(seed: &Rc<str>) -> Self {
        Self { beacons: Rates::new(seed), misses: Rates::new(seed) }
    }
}

/// The clients that may send, and those that may have Redis asked.
pub struct Admissions<'a, R> {
    pub(super) client: &'a R,
    pub(super) clock: &'a dyn Clock,
    pub(super) counters: &'a Counters,
    pub(super) log: &'a dyn Log,
    pub quotas: Quotas<'a, R>,
    pub(super) rates: &'a RequestRates,
}

impl<R: Runtime> Admissions<'_, R> {
    /// Whether a click counts, by what is known before its body is read.
    ///
    /// 1. Refused, where the client's network sent as many in the last minute as the site lets it.
    /// 2. Dropped, where the site leaves the address out.
    /// 3. Dropped, where the site drops bots and it is of one: by its own words, a browser's that only prepares, or the edge's verdict.
    pub async fn admit(&self, site: &Site, client: &Client<'_>) -> Admission {
        let address = client.address.and_then(Address::parse);
        if let Some(wait_s) = self.over(Taken { limited: Limited::Beacons, price: 1, is_first: true }, site, network(address)).await {
            return Admission::Refused { wait_s };
        }
        let reason = if address.is_some_and(|address| site.ignore_addresses.iter().any(|subnet| subnet.contains(address))) {
            "ignored"
        } else if site.bots == Bots::Count {
            return Admission::Counted;
        } else if self.client.is_bot(client.user_agent) {
            "declared"
        } else if is_preparing(client.purpose) {
            "prefetched"
        } else if self.client.is_automated() {
            "automated"
        } else {
            return Admission::Counted;
        };
        self.tell(Series::Dropped, site, reason);
        Admission::Dropped
    }

    /// Takes what a beacon costs besides the one that it took before its body was read. Answers how long its client has to wait, when it sent too much.
    pub async fn over_beacons(&self, site: &Site, client: &Client<'_>, price: u32) -> Option<u64> {
        let price = price.checked_sub(1).filter(|price| *price > 0)?;
        let address = client.address.and_then(Address::parse);
        self.over(Taken { limited: Limited::Beacons, price, is_first: false }, site, network(address)).await
    }

    /// Takes what a read costs, before it is done and whatever becomes of it. Answers what that would be too much of: of what the client of this
    /// request may have asked, or of the site's quota.
    pub async fn over_misses(&self, site: &Site, cost: Cost) -> Option<Over> {
        if cost.commands > 0
            && let Some(over) = self.over_commands(site)
        {
            return Some(over);
        }
        if site.limits.misses > 0
            && let Some(wait_s) =
                self.over(Taken { limited: Limited::Misses, price: cost.misses(), is_first: true }, site, self.asker()).await
        {
            return Some(Over::Limit { wait_s });
        }
        self.quotas.take(site, || cost.commands);
        None
    }

    /// Why a site has no commands left in its quota; takes nothing.
    fn over_commands(&self, site: &Site) -> Option<Over> {
        let over = self.quotas.over_commands(site)?;
        self.tell(Series::Limited, site, "quota");
        Some(Over::Quota(over))
    }

    /// Why events of a site are more than its quota allows, as far as this isolate knows; takes nothing.
    pub fn over_quota_of_events(&self, site: &Site) -> Option<Over> {
        let over = self.quotas.over_commands(site).or_else(|| self.quotas.over_members(site))?;
        self.tell(Series::Limited, site, "quota");
        Some(Over::Quota(over))
    }

    /// The same for who is refused then.
    ///
    /// # Errors
    /// What it would be too much of.
    pub async fn take_misses(&self, site: &Site, cost: Cost) -> Result<(), ReadError> {
        self.over_misses(site, cost).await.map_or(Ok(()), |over| Err(ReadError::TooMuch(over)))
    }

    /// What a read would be too much of already, whatever it costs, as far as this isolate knows. Takes nothing.
    pub fn is_past_misses(&self, site: &Site) -> Option<Over> {
        if let Some(over) = self.over_commands(site) {
            return Some(over);
        }
        let asker = self.asker().filter(|_| site.limits.misses > 0)?;
        let (count, remaining_s) = self.rates.misses.look(&(site.name.as_str(), &asker), self.clock.clock_ms());
        if count < site.limits.misses {
            return None;
        }
        self.tell(Series::Limited, site, "misses");
        Some(Over::Limit { wait_s: remaining_s })
    }

    /// Takes what a piece of work in the background costs, where the client of this request has as much left in this minute, and the site in its quota.
    pub fn takes_spare_misses(&self, site: &Site, cost: Cost) -> bool {
        let takes = self.quotas.over_commands(site).is_none() && self.has_spare_misses(site, cost);
        if takes {
            self.quotas.take(site, || cost.commands);
        }
        takes
    }

    fn has_spare_misses(&self, site: &Site, cost: Cost) -> bool {
        let Some(asker) = self.asker().filter(|_| site.limits.misses > 0) else { return true };
        let (rates, key, now_ms) = (&self.rates.misses, (site.name.as_str(), &asker), self.clock.clock_ms());
        let is_pending = rates.look(&key, now_ms).0 + cost.misses() <= site.limits.misses;
        if is_pending {
            rates.add(&key, cost.misses(), now_ms);
        }
        is_pending
    }

    /// The client that has Redis asked. One without an address is not limited: Cloudflare always tells it.
    fn asker(&self) -> Option<Asker> {
        self.client.live().map(Asker::Live).or_else(|| network(self.client.address().as_deref().and_then(Address::parse)))
    }

    /// By what this isolate saw, and by the runtime's own limit where that is the site's: it takes one of each request, in all isolates of a data
    /// center. The first of a minute is let in, whatever it costs.
    async fn over(&self, taken: Taken, site: &Site, asker: Option<Asker>) -> Option<u64> {
        let Limits { beacons, misses } = site.limits;
        let (max, usual, rates) = match taken.limited {
            Limited::Beacons => (beacons, Limits::DEFAULT.beacons, &self.rates.beacons),
            Limited::Misses => (misses, Limits::DEFAULT.misses, &self.rates.misses),
        };
        let asker = asker.filter(|_| max > 0)?;
        let (count, remaining_s) = rates.add(&(site.name.as_str(), &asker), taken.price, self.clock.clock_ms());
        let is_over = count > max && (count > taken.price || !taken.is_first);
        let wait_s = if is_over {
            remaining_s
        } else if max == usual && taken.is_first && self.client.is_within(taken.limited, &asker.key(site)).await == Some(false) {
            // Nobody knows when the runtime's minute began.
            60
        } else {
            return None;
        };
        let what = match taken.limited {
            Limited::Beacons => "beacons",
            Limited::Misses => "misses",
        };
        self.tell(Series::Limited, site, what);
        Some(wait_s)
    }

    /// Counts why something was not done; the log has it every five minutes.
    fn tell(&self, series: Series, site: &Site, reason: &str) {
        self.counters.add(series, site.name.as_str(), reason, 1);
        if let Some(line) = self.counters.refusals_line(self.clock.clock_ms()) {
            self.log.log(&line);
        }
    }
}

impl Asker {
    /// As the runtime's own limit knows it.
    fn key(&self, site: &Site) -> String {
        match self {
            Self::Network(network) => format!("{}/{network:x}", site.name),
            Self::Live(object) => format!("{}/live/{object}", site.name),
        }
    }
}

fn network(address: Option<Address>) -> Option<Asker> {
    address.map(|address| Asker::Network(address.network()))
}

/// `prefetch`, `prefetch;prerender`, `preview`
fn is_preparing(purpose: &str) -> bool {
    purpose.split([';', ',']).any(|word| matches!(word.trim(), "prefetch" | "prerender" | "preview"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_say_that_they_prepare() {
        for purpose in ["prefetch", "prefetch;prerender", "prefetch; anonymous-client-ip", "preview"] {
            assert!(is_preparing(purpose), "{purpose}");
        }
        for purpose in ["", "prefetched", "viewer"] {
            assert!(!is_preparing(purpose), "{purpose}");
        }
    }
}
