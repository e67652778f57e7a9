//! Who is let in: how often a client may ask, and whose clicks count.

use std::rc::Rc;

use super::counters::Series;
use super::rates::Rates;
use super::{App, Runtime};
use crate::ranking::address::Address;
use crate::ranking::site::{Bots, Limits, Site};

/// What is limited, by client and site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// Beacons and pixels.
    Beacons,
    /// Reads for which Redis is asked.
    Misses,
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
#[derive(Default)]
pub struct RequestRates {
    beacons: Rates,
    misses: Rates,
}

impl<R: Runtime> App<R> {
    /// Whether a click counts, by what is known before its body is read.
    ///
    /// 1. Refused, where the client's network sent as many in the last minute as the site lets it.
    /// 2. Dropped, where the site leaves the address out.
    /// 3. Dropped, where the site drops bots and it is of one: by its own words, a browser's that only prepares, or the edge's verdict.
    pub async fn admit(&self, site: &Site, client: &Client<'_>) -> Admission {
        let address = client.address.and_then(Address::parse);
        if let Some(wait_s) = self.over(Limited::Beacons, site, address).await {
            return Admission::Refused { wait_s };
        }
        let reason = if address.is_some_and(|address| site.ignore_addresses.iter().any(|subnet| subnet.contains(address))) {
            "ignored"
        } else if site.bots == Bots::Count {
            return Admission::Counted;
        } else if self.runtime.is_bot(client.user_agent) {
            "declared"
        } else if is_preparing(client.purpose) {
            "prefetched"
        } else if self.runtime.is_automated() {
            "automated"
        } else {
            return Admission::Counted;
        };
        self.tell(Series::Dropped, site, reason);
        Admission::Dropped
    }

    /// How long the client of this request has to wait before Redis is asked for it, when it made Redis be asked too often.
    pub async fn over_misses(&self, site: &Rc<Site>) -> Option<u64> {
        if site.limits.misses == 0 {
            return None;
        }
        let address = self.runtime.address();
        self.over(Limited::Misses, site, address.as_deref().and_then(Address::parse)).await
    }

    /// By the runtime's own limit where that is the site's, else by what this isolate saw. Who has no address is not limited:
    /// Cloudflare always tells it.
    async fn over(&self, limited: Limited, site: &Site, address: Option<Address>) -> Option<u64> {
        let Limits { beacons, misses } = site.limits;
        let (max, usual, rates) = match limited {
            Limited::Beacons => (beacons, Limits::DEFAULT.beacons, &self.memory.rates.beacons),
            Limited::Misses => (misses, Limits::DEFAULT.misses, &self.memory.rates.misses),
        };
        let network = address.filter(|_| max > 0)?.network();
        let known = if max == usual { self.runtime.is_within(limited, &format!("{}/{network:x}", site.name)).await } else { None };
        let wait_s = match known {
            Some(true) => return None,
            // Nobody knows when the runtime's minute began.
            Some(false) => 60,
            None => {
                let (count, left_s) = rates.count(&(site.name.as_str(), network), self.runtime.clock_ms());
                if count <= max {
                    return None;
                }
                left_s
            }
        };
        let what = match limited {
            Limited::Beacons => "beacons",
            Limited::Misses => "misses",
        };
        self.tell(Series::Limited, site, what);
        Some(wait_s)
    }

    /// Counts why something was not done; the log has it every five minutes.
    fn tell(&self, series: Series, site: &Site, reason: &str) {
        self.memory.counters.add(series, site.name.as_str(), reason, 1);
        if let Some(line) = self.memory.counters.refusals_line(self.runtime.clock_ms()) {
            self.runtime.log(&line);
        }
    }
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
