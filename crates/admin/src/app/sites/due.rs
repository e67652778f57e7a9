//! When upkeep looks at the sites that were made at run time: those where something changed, and where that still shows.
//!
//! # Decisions
//!
//! - Whoever counts or changes something enters its site in a sorted set of Redis, an isolate each site once in a quarter of an hour. A run reads from the
//!   set which sites are due, and only these from the database.
//! - A site is looked at each minute at first, and then less often the longer nothing changed: after a sixteenth of that time, and at least twice in
//!   each period of a rolling window that still has something. When nothing of it shows any more, the site leaves the set, and costs nothing.
//! - The set is a hint. If Redis loses it, all sites are looked at once, over some time, so that those that change have half of each run.
//! - A run that fails, or runs out of time, looks at its sites again a minute later, behind those that wait longer.

use std::rc::Rc;

use engine::store::sites::{DueSite, DueSites, Lost, UNKNOWN_S};
use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::window::Kind;
use serve::app::agenda::Resting;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;
use serve::app::sites::{Serving, sql};

use super::SiteAdministration;
use crate::app::upkeep::boards::idle_after_s;

/// Sites of run time that a scheduled run looks after, at most.
pub const SITES_OF_A_RUN: u32 = 100;
/// While none is due, an isolate asks in each fifth run: another one may have entered one. The fifth run may begin some seconds early.
const LOOK_S: u64 = 300 - 5;
/// Sites that Redis lost, in one call.
const PIECE: u32 = 1_000;
/// Upkeep looks at a site after this part of the time for which nothing changed, within bounds.
const PART: u64 = 16;
/// The next run may begin some seconds early as well.
const SHORTEST_S: u64 = 60 - 5;
const LONGEST_S: u64 = DAY_S;
/// At a site whose configuration this version of the worker refuses.
const REFUSED_S: u64 = 3_600;
const DAY_S: u64 = 86_400;

/// The sites that a scheduled run looks after.
#[derive(Default)]
pub struct Due {
    pub served: Vec<Rc<Serving>>,
    sites: Vec<DueSite>,
    now_s: i64,
}

impl<R: Runtime> SiteAdministration<'_, R> {
    /// The sites that are due, as many as a run looks after.
    ///
    /// # Errors
    /// For the log: why it is not known.
    pub async fn due(&self) -> Result<Due, String> {
        let began_ms = self.sites.clock.clock_ms();
        if !self.sites.config.makes_sites() || self.sites.agenda.rests(&Resting::DueSites, began_ms) {
            return Ok(Due::default());
        }
        let DueSites { now_s, rest_s, sites } = if let Some(due) = self.ask_due().await? {
            due
        } else {
            self.enter_lost().await?;
            self.ask_due().await?.ok_or("Redis lost which sites are due")?
        };
        if sites.is_empty() {
            self.sites.agenda.rest(Resting::DueSites, began_ms, 1_000 * rest_s.unwrap_or(LOOK_S).min(LOOK_S));
            return Ok(Due::default());
        }
        let names: Vec<&str> = sites.iter().map(|site| site.name.as_str()).collect();
        let served = self.sites.served(&names).await.map_err(|error| error.detail().to_owned())?;
        Ok(Due { served, sites, now_s })
    }

    async fn ask_due(&self) -> Result<Option<DueSites>, String> {
        let due = self.sites.redis.read(async |store| store.due_sites(SITES_OF_A_RUN).await).await;
        due.map_err(|error| Failure::of_read(&error).detail)
    }

    /// Enters all sites of the database.
    async fn enter_lost(&self) -> Result<(), String> {
        let (mut before, mut after) = (0, String::new());
        loop {
            let rows = self.sites.tables.query(&[sql::names(&after, PIECE)]).await.map_err(|error| error.detail().to_owned())?;
            let names: Vec<Name> = rows.iter().flatten().filter_map(|row| Name::new(row.get("name")?.as_str()?)).collect();
            let is_last = names.len() < PIECE as usize;
            let lost = Lost { names: &names, before, is_last, in_minute: SITES_OF_A_RUN / 2 };
            let entered = self.sites.redis.repeat(async |store| store.enter_lost_sites(lost).await).await;
            entered.map_err(|error| Failure::of_write(&error).detail)?;
            if is_last {
                return Ok(());
            }
            before += names.len();
            after = names.last().map(ToString::to_string).unwrap_or_default();
        }
    }

    /// Says when the sites of a run are looked at again: all of them a minute later, unless everything `is_done`.
    ///
    /// # Errors
    /// For the log.
    pub async fn rest_due(&self, due: Due, is_done: bool) -> Result<(), String> {
        let Due { served, sites, now_s } = due;
        if sites.is_empty() {
            return Ok(());
        }
        let next = |due: DueSite| {
            let serving = served.iter().find(|serving| serving.name().as_str() == due.name);
            let quiet_s = due.changed_s().map_or(UNKNOWN_S, |changed_s| u64::try_from(now_s - changed_s).unwrap_or(0));
            let waits =
                || self.sites.agenda.rests(&Resting::ForwardWaits(serving?.name().clone()), self.sites.clock.clock_ms()).then_some(());
            let rest_s = match serving.map(|serving| serving.configured.as_ref()) {
                // Nothing is there that upkeep looks after.
                None => None,
                Some(_) if !is_done || waits().is_some() => Some(SHORTEST_S),
                // Another version of the worker may serve it.
                Some(Err(_)) => Some(REFUSED_S),
                Some(Ok(configured)) => rest_s(&configured.site, quiet_s),
            };
            let at = rest_s.map_or(0, |rest_s| now_s + i64::try_from(rest_s).unwrap_or(i64::MAX));
            (due, at)
        };
        let rests: Vec<(DueSite, i64)> = sites.into_iter().map(next).collect();
        let rested = self.sites.redis.repeat(async |store| store.rest_sites(&rests).await).await;
        rested.map_err(|error| Failure::of_write(&error).detail)
    }
}

/// Seconds after which upkeep looks again at a site where nothing changed for so long; `None`: nothing of it shows any more.
fn rest_s(site: &Site, quiet_s: u64) -> Option<u64> {
    let boards = || site.boards.values().map(|board| &**board).chain(site.templates.values().map(|template| &template.board));
    if boards().map(shows_s).max().is_none_or(|shows_s| quiet_s > shows_s) {
        return None;
    }
    let half_period_s = |board: &Board| {
        let rolling = board.windows.iter().filter_map(|window| match window.kind {
            Kind::Rolling { unit, length } if board.rolls(window) && quiet_s <= unit.needed_s(length) => Some(unit.shortest_s() / 2),
            _ => None,
        });
        rolling.min()
    };
    let most_s = boards().filter_map(half_period_s).min().unwrap_or(LONGEST_S);
    Some((quiet_s / PART).min(most_s).clamp(SHORTEST_S, LONGEST_S))
}

/// Seconds for which what was counted on a board has work for upkeep: in its windows, and until its periods are over that are kept elsewhere.
fn shows_s(board: &Board) -> u64 {
    let is_kept = board.history > 0 || board.archive || !board.totals.is_empty();
    let periods = board.windows.iter().filter(|_| is_kept).filter_map(|window| board.period_unit(window));
    periods.map(|unit| unit.needed_s(1)).fold(idle_after_s(board), u64::max)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use serve::config::Config;

    fn site(board: Value) -> Rc<Site> {
        let mut board = board;
        board["weights"] = json!({ "view": 1 });
        let site = json!({ "actions": { "view": {} }, "boards": { "articles": board } });
        let config = Config::read([("SITES".to_owned(), json!({ "demo": site }))], |_: &str| true).expect("valid");
        Rc::clone(config.sites.get("demo").expect("one"))
    }

    #[test]
    fn the_longer_nothing_changes_the_rarer_upkeep_looks() {
        let days = site(json!({ "windows": ["day", "all"] }));
        for (quiet_s, expected) in [(0, Some(55)), (960, Some(60)), (3_200, Some(200)), (DAY_S, Some(5_400)), (DAY_S + 1, None)] {
            assert_eq!(rest_s(&days, quiet_s), expected, "{quiet_s}");
        }
    }

    #[test]
    fn each_period_of_a_rolling_window_is_looked_at_twice_while_it_has_something() {
        let hours = site(json!({ "windows": ["last-24-hours"] }));
        for (quiet_s, expected) in [(3_600, Some(225)), (DAY_S, Some(900)), (3 * DAY_S, Some(900)), (4 * DAY_S, None)] {
            assert_eq!(rest_s(&hours, quiet_s), expected, "{quiet_s}");
        }
    }

    #[test]
    fn what_is_kept_elsewhere_is_looked_at_until_its_period_is_over() {
        let years = site(json!({ "windows": ["year"], "history": 10 }));
        for (quiet_s, expected) in [(30 * DAY_S, Some(DAY_S)), (400 * DAY_S, Some(DAY_S)), (800 * DAY_S, None)] {
            assert_eq!(rest_s(&years, quiet_s), expected, "{quiet_s}");
        }
    }
}
