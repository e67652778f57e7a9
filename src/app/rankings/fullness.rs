//! How full boards are, and upkeep's look at it.

use std::rc::Rc;

use ranking::capacity::share;
use ranking::site::Site;
use ranking::window::{Kind, Window};
use serde::{Deserialize, Serialize};

use super::{PeriodRef, Rankings, Read, ReadError, ReadRequest};
use crate::app::agenda::Resting;
use crate::app::failure::Failure;
use crate::app::ports::Runtime;

/// Upkeep looks each time that so many milliseconds of the edge's clock are full. Four looks a day cost a fifth of an idle month.
const EACH_MS: u64 = 6 * HOUR_MS;
/// For so long a run may be the one that looks, since crons may be rare and isolates forget that they looked.
const DUE_MS: u64 = HOUR_MS;
const HOUR_MS: u64 = 3_600_000;

/// How full the current period of a window is.
#[derive(Clone, Debug, Serialize)]
pub struct Fullness {
    pub board: String,
    pub window: String,
    /// Members that are shown.
    pub members: u64,
    pub max_members: u32,
    /// Of `max_members`, with two decimals.
    pub share: f64,
    /// Events of new members that the period refused.
    pub refused: u64,
}

/// What is read of several rankings.
#[derive(Deserialize)]
struct RankingsJson {
    boards: Vec<Ranking>,
}

#[derive(Deserialize)]
struct Ranking {
    total: u64,
    #[serde(default)]
    refused: u64,
}

impl<R: Runtime> Rankings<'_, R> {
    /// How full the windows of a site are, in one round trip. A rolling one is left out: the periods that it is made of are bounded. Those
    /// that are nearly full are logged.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn fullness(&self, site: &Rc<Site>) -> Result<Vec<Fullness>, ReadError> {
        let full = |(of, ranking): (PeriodRef, Ranking)| {
            let max_members = of.board.max_members.of(&of.window);
            Fullness {
                board: of.board.name.to_string(),
                window: of.window.name.to_string(),
                members: ranking.total,
                max_members,
                share: share(ranking.total, max_members),
                refused: ranking.refused,
            }
        };
        let is_bounded = |window: &Window| !matches!(window.kind, Kind::Rolling { .. });
        Ok(self.current(site, is_bounded).await?.into_iter().map(full).collect())
    }

    /// The members of a site, in one round trip: of each board those of its fullest window, added up.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn count_members(&self, site: &Rc<Site>) -> Result<u64, ReadError> {
        let current = self.current(site, |_| true).await?;
        // The windows of a board stand together.
        let of_boards = current.chunk_by(|(one, _), (other, _)| one.board.name == other.board.name);
        Ok(of_boards.map(|windows| windows.iter().map(|(_, ranking)| ranking.total).max().unwrap_or(0)).sum())
    }

    /// The current periods of some windows of a site.
    async fn current(&self, site: &Rc<Site>, is_one: impl Fn(&Window) -> bool) -> Result<Vec<(PeriodRef, Ranking)>, ReadError> {
        let windows = site.boards.values().flat_map(|board| board.windows.iter().map(move |window| (board, window)));
        let period = |(board, window): (&Rc<_>, &Window)| PeriodRef {
            board: Rc::clone(board),
            window: window.clone(),
            period: None,
            hour_starts_at: None,
        };
        let of: Vec<PeriodRef> = windows.filter(|(_, window)| is_one(window)).map(period).collect();
        if of.is_empty() {
            return Ok(Vec::new());
        }
        let request = ReadRequest { site: Rc::clone(site), read: Read::Tops { of, limit: 1 }, by: String::new() };
        let entry = self.read(&request, None, false).await?;
        let unlike = |detail| ReadError::Failed(Failure { nothing_written: true, is_transient: false, script: None, detail });
        let read = serde_json::from_slice::<RankingsJson>(&entry.json).map_err(|error| unlike(error.to_string()))?;
        Ok(request.periods().iter().cloned().zip(read.boards).collect())
    }

    /// Looks how full the boards of every site are, when it is time and until `until_ms` (by the edge's clock) has come. Answers what kept
    /// it from that; such a site is looked at again in the next run.
    pub async fn look_at_fullness_due(&self, until_ms: u64) -> Vec<String> {
        let now_ms = self.clock.clock_ms();
        let mut failures = Vec::new();
        if now_ms % EACH_MS >= DUE_MS {
            return failures;
        }
        for site in self.config.sites.values() {
            let rest = Resting::Fullness(site.name.clone());
            if self.agenda.rests(&rest, now_ms) || self.clock.clock_ms() >= until_ms {
                continue;
            }
            match self.fullness(site).await {
                Ok(_) => self.agenda.rest(rest, now_ms, DUE_MS),
                Err(ReadError::Failed(failure)) => failures.push(format!("{}: fullness: {}", site.name, failure.detail)),
                Err(error) => failures.push(format!("{}: fullness: {error:?}", site.name)),
            }
        }
        failures
    }
}
