//! What this isolate did since it began: requests, reads, events, commands, jobs.
//!
//! A series is counted by site and by what its rows tell apart. A site has as many rows as it has routes, codes and boards, so counting is a look at a
//! few dozen at most. Only so many sites have rows of their own, so that memory is bounded where sites are made at run time.
//!
//! The module counts rows in Rust, and live rankings count theirs in JavaScript, which puts both together. An answer that is
//! given again is counted by the index of its row, so it costs an addition.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use engine::adapter::{Cmd, Error};
use engine::store;
use serde_json::{Value, json};

use super::cache::{CacheResult, Level};

/// How often they are logged, while there is something to tell.
const REPORTED_EVERY_MS: u64 = 5 * 60_000;

/// Sites that are told apart. What later ones do is counted as that of several sites. A site takes some kilobytes.
const MOST_SITES: usize = 1_000;

/// What answers took is counted up to these, in milliseconds; what took longer up to [`LONGER`].
pub const BOUNDS_MS: [u16; 9] = [5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];
const LONGER: u16 = u16::MAX;

/// Names are of rows, as `src/edge/counts.js` and `crates/admin/src/api/metrics/isolate.rs` know them.
macro_rules! series {
    ($($(#[doc = $doc:expr])+ $variant:ident $name:literal)*) => {
        /// What is counted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Series { $($(#[doc = $doc])+ $variant,)* }

        impl Series {
            fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

series! {
    /// Answers, by route, status and how long they took at most.
    Requests "requests"
    /// Milliseconds that answers took, by route and status.
    RequestMs "request-ms"
    /// Answers that were given again by their address: requests with 200 by route, and reads from memory.
    Kept "kept"
    /// Reads, by where their answer came from: fresh in `memory` or the `edge` cache; `stale`, and renewed; old, while Redis is `out`;
    /// `waited` for; or from memory that it is `missing`.
    Reads "reads"
    /// Calls of scripts that read rankings: `asked`; of these, those that `failed`, that were `looks` whether something was hidden,
    /// pinned or erased, and that found it `unchanged`: of three commands for each ranking, where others have nine at most.
    Renewals "renewals"
    /// Events, by what became of them.
    Events "events"
    /// Clicks that were dropped, by the reason.
    Dropped "dropped"
    /// Requests that were refused, since too many came from their network: `beacons`, and `misses`, reads for which Redis would have been asked; or
    /// since their site has used its `quota`.
    Limited "limited"
    /// `commands` of Redis that the quota of a site is taken of, as they are estimated.
    Quota "quota"
    /// `trips` to Redis, `commands` sent on these, and `ms` that they took.
    Redis "redis"
    /// Trips that failed, by fault.
    Faults "faults"
    /// `trips` to the relational database, `statements` on these, and `ms` that they took; trips that `failed`.
    Database "database"
    /// Messages of the queue: `sent` and `not-sent`; of those that it delivered, `done`, `again` and `dead`.
    Queue "queue"
    /// Messages that the receiver of `forward` did not take: `kept` for it; of these `sent` later; and `dropped` for good.
    Forward "forward"
    /// Chunks of upkeep and repair, and freezing of periods, by `upkeep board/window`, `repair …`, `freeze …`.
    JobRuns "job-runs"
    /// Members that they looked at, likewise.
    JobMembers "job-members"
    /// Those that found somebody else at work, likewise.
    JobsBusy "jobs-busy"
    /// Those that failed, likewise.
    JobsFailed "jobs-failed"
    /// Milliseconds that they took, likewise.
    JobMs "job-ms"
    /// When the last one succeeded, in Unix seconds by the edge's clock, likewise.
    JobDone "job-done"
}

/// Counts of everything, and when they were logged.
#[derive(Debug, Default)]
pub struct Counters {
    rows: RefCell<Vec<Row>>,
    /// The places of the rows of each site.
    of_sites: RefCell<BTreeMap<Box<str>, Vec<usize>>>,
    reads_reported: Reported,
    refusals_reported: Reported,
}

#[derive(Debug)]
struct Row {
    series: Series,
    /// `""`: of no site, or of several.
    site: Box<str>,
    what: Box<str>,
    /// 0 where there is none.
    status: u16,
    /// Of [`BOUNDS_MS`]; 0 where no time is told apart.
    within_ms: u16,
    count: u64,
}

/// When something was logged last; 0 before anything was counted.
#[derive(Debug, Default)]
struct Reported(Cell<u64>);

impl Reported {
    /// Whether it is time: it has been five minutes since the last time.
    fn is_due(&self, now_ms: u64) -> bool {
        let reported_ms = self.0.get();
        // A clock that went back begins anew.
        if reported_ms == 0 || now_ms < reported_ms {
            self.0.set(now_ms);
        }
        let is_due = now_ms.saturating_sub(self.0.get()) >= REPORTED_EVERY_MS;
        if is_due {
            self.0.set(now_ms);
        }
        is_due
    }
}

impl Counters {
    /// Counts so many more.
    pub fn add(&self, series: Series, site: &str, what: &str, by: u64) {
        self.count(series, site, what, 0, 0, by);
    }

    /// Notes when a job succeeded.
    pub fn note_done(&self, site: &str, job: &str, now_ms: u64) {
        let at = self.count(Series::JobDone, site, job, 0, 0, 0);
        if let Some(row) = self.rows.borrow_mut().get_mut(at) {
            row.count = now_ms / 1000;
        }
    }

    /// Counts an answer that took so long.
    pub fn add_request(&self, site: &str, route: &str, status: u16, ms: u64) {
        let within_ms = BOUNDS_MS.into_iter().find(|bound| ms <= u64::from(*bound)).unwrap_or(LONGER);
        self.count(Series::Requests, site, route, status, within_ms, 1);
        // The clock stands while nothing is waited for.
        if ms > 0 {
            self.count(Series::RequestMs, site, route, status, 0, ms);
        }
    }

    /// Counts a read by where its answer came from.
    pub fn add_read(&self, site: &str, result: CacheResult) {
        let what = match result {
            CacheResult::Hit(Level::Memory) => "memory",
            CacheResult::Hit(Level::Edge) => "edge",
            CacheResult::Stale(_) => "stale",
            CacheResult::StaleIfError(_) | CacheResult::Snapshot => "out",
            CacheResult::Beyond => "snapshot",
            CacheResult::Miss | CacheResult::Unchanged => "waited",
        };
        self.add(Series::Reads, site, what, 1);
    }

    /// Counts a trip to Redis for a site; `""`: for none, or several.
    pub fn add_trip(&self, commands: &[Cmd], ms: u64, error: Option<&Error>) {
        let site = store::site_of(commands);
        for (what, by) in [("trips", 1), ("commands", commands.len() as u64), ("ms", ms)] {
            self.add(Series::Redis, site, what, by);
        }
        if let Some(error) = error {
            self.add(Series::Faults, site, error.fault.label(), 1);
        }
    }

    /// Where answers of a route that are given again are counted.
    pub fn kept(&self, site: &str, route: &str) -> usize {
        self.count(Series::Kept, site, route, 200, BOUNDS_MS[0], 0)
    }

    /// Counts one where [`Self::kept`] says.
    pub fn add_kept(&self, at: usize) {
        if let Some(row) = self.rows.borrow_mut().get_mut(at) {
            row.count += 1;
        }
    }

    /// The row's place, which stays.
    fn count(&self, series: Series, site: &str, what: &str, status: u16, within_ms: u16, by: u64) -> usize {
        let (mut rows, mut of_sites) = (self.rows.borrow_mut(), self.of_sites.borrow_mut());
        let is_separate = of_sites.contains_key(site) || of_sites.len() < MOST_SITES;
        let site = if is_separate { site } else { "" };
        let is_it = |row: &Row| (row.series, row.status, row.within_ms) == (series, status, within_ms) && *row.what == *what;
        let known = of_sites.get(site).and_then(|places| places.iter().copied().find(|at| rows.get(*at).is_some_and(is_it)));
        let at = known.unwrap_or_else(|| {
            rows.push(Row { series, site: site.into(), what: what.into(), status, within_ms, count: 0 });
            of_sites.entry(site.into()).or_default().push(rows.len() - 1);
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(at) {
            row.count += by;
        }
        at
    }

    /// Of all sites, and of all that a series tells apart unless one is named.
    pub fn sum(&self, series: Series, what: Option<&str>) -> u64 {
        let rows = self.rows.borrow();
        let of_it = rows.iter().filter(|row| row.series == series && what.is_none_or(|what| *row.what == *what));
        of_it.map(|row| row.count).sum()
    }

    /// All rows: `[series, site, what, status, within_ms, count]`, as JSON.
    pub fn json(&self) -> String {
        let rows = self.rows.borrow();
        let rows = rows.iter().map(|row| (row.series.name(), &*row.site, &*row.what, row.status, row.within_ms, row.count));
        let rows: Vec<_> = rows.collect();
        serde_json::to_string(&rows).unwrap_or_default()
    }

    /// The line about reads, when it is time.
    pub fn line(&self, now_ms: u64) -> Option<Value> {
        let read = |what| self.sum(Series::Reads, Some(what));
        let renewed = |what| self.sum(Series::Renewals, Some(what));
        self.reads_reported.is_due(now_ms).then(|| {
            json!({
                "level": "info",
                "code": "reads",
                "memory": read("memory") + self.sum(Series::Kept, None),
                "edge": read("edge"),
                "stale": read("stale"),
                "out": read("out"),
                "waited": read("waited"),
                "missing": read("missing"),
                "asked": renewed("asked"),
                "failed": renewed("failed"),
                "looks": renewed("looks"),
                "unchanged": renewed("unchanged"),
            })
        })
    }

    /// The line about what was not counted or not answered, when it is time.
    pub fn refusals_line(&self, now_ms: u64) -> Option<Value> {
        let dropped = |what| self.sum(Series::Dropped, Some(what));
        self.refusals_reported.is_due(now_ms).then(|| {
            json!({
                "level": "info",
                "code": "not-counted",
                "ignored": dropped("ignored"),
                "declared": dropped("declared"),
                "prefetched": dropped("prefetched"),
                "automated": dropped("automated"),
                "limited_beacons": self.sum(Series::Limited, Some("beacons")),
                "limited_misses": self.sum(Series::Limited, Some("misses")),
                "limited_quota": self.sum(Series::Limited, Some("quota")),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_sites_have_rows_of_their_own() {
        let counters = Counters::default();
        for i in 0..2 * MOST_SITES {
            counters.add(Series::Events, &format!("site-{i}"), "counted", 1);
            counters.add(Series::Events, &format!("site-{i}"), "counted", 1);
        }
        let rows = counters.rows.borrow();
        assert_eq!(rows.len(), MOST_SITES + 1);
        assert_eq!((&*rows[0].site, rows[0].count), ("site-0", 2));
        let others = rows.iter().find(|row| row.site.is_empty()).map(|row| row.count);
        assert_eq!(others, Some(2 * MOST_SITES as u64));
    }
}
