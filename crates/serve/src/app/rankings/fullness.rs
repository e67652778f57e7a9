//! How full boards are, and upkeep's look at it.

use std::rc::Rc;

use ranking::capacity::share;
use ranking::site::Site;
use ranking::window::{Kind, Window};
use serde::{Deserialize, Serialize};

use super::part::Available;
use super::{PeriodRef, Rankings, Read, ReadError, ReadRequest};
use crate::app::agenda::Resting;
use crate::app::database::{Argument, Statement};
use crate::app::failure::Failure;
use crate::app::ports::Runtime;
use crate::app::quota::COUNTED_EVERY_MS;
use crate::app::templates::Templates;

/// Upkeep looks each time that so many milliseconds of the edge's clock are full. Four looks a day cost a fifth of an idle month.
const EACH_MS: u64 = 6 * HOUR_MS;
/// Boards whose members are counted in one trip.
const PIECE: usize = 100;
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

/// How full the boards of a site are.
#[derive(Debug, Default)]
pub struct AllFullness {
    pub boards: Vec<Fullness>,
    /// Boards whose node of a cluster does not answer, where others do.
    pub unavailable: Vec<String>,
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
    pub async fn fullness(&self, site: &Rc<Site>) -> Result<AllFullness, ReadError> {
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
        let (current, unavailable) = self.current(site, is_bounded).await?;
        Ok(AllFullness { boards: current.into_iter().map(full).collect(), unavailable })
    }

    /// The members of a site, in one round trip: of each board those of its fullest window, added up.
    ///
    /// # Errors
    /// When Redis does not answer about one of the boards.
    async fn count_members(&self, site: &Rc<Site>) -> Result<u64, ReadError> {
        let (current, unavailable) = self.current(site, |_| true).await?;
        if !unavailable.is_empty() {
            return Err(failed(no_answer(&unavailable)));
        }
        // The windows of a board stand together.
        let of_boards = current.chunk_by(|(one, _), (other, _)| one.board.name == other.board.name);
        Ok(of_boards.map(|windows| windows.iter().map(|(_, ranking)| ranking.total).max().unwrap_or(0)).sum())
    }

    /// Counts the members of the sites that have a quota of them, when it is time. Answers a line for each failure.
    pub async fn count_members_due(&self, templates: &Templates<'_, R>, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values().filter(|site| site.quota.members.is_some()) {
            let now_ms = self.clock.edge_ms();
            let counted_ms = self.admission.quotas.usages.counted_ms(site);
            if !(counted_ms..counted_ms + COUNTED_EVERY_MS).contains(&now_ms) && self.clock.clock_ms() < until_ms {
                let noted = self.note_members(site, templates, now_ms).await;
                failures.extend(noted.err().map(|detail| format!("{}: members: {detail}", site.name)));
            }
        }
        failures
    }

    /// Counts the members of a site, a hundred boards in a trip, and notes that.
    async fn note_members(&self, site: &Site, templates: &Templates<'_, R>, now_ms: i64) -> Result<(), String> {
        let with_all = templates.site_with_all_boards(site).await.map_err(|failure| failure.detail)?;
        let boards: Vec<_> =
            with_all.as_ref().unwrap_or(site).boards.iter().map(|(name, board)| (name.clone(), Rc::clone(board))).collect();
        let mut members: u64 = 0;
        for piece in boards.chunks(PIECE) {
            let part = Site { boards: piece.iter().cloned().collect(), ..site.clone() };
            members += self.count_members(&part.into()).await.map_err(|error| match error {
                ReadError::Failed(failure) => failure.detail,
                error => format!("{error:?}"),
            })?;
        }
        let (members, made_ms) = (u32::try_from(members).unwrap_or(u32::MAX), site.made_ms.unwrap_or_default());
        let noted = note_members(site.name.as_str(), made_ms, members, now_ms);
        self.tables.query(&[noted]).await.map_err(|error| error.detail().to_owned())?;
        self.admission.quotas.usages.note_members(&site.name, made_ms, members, now_ms);
        Ok(())
    }

    /// The current periods of some windows of a site, and the boards that Redis does not answer, where it answers others.
    async fn current(
        &self,
        site: &Rc<Site>,
        is_one: impl Fn(&Window) -> bool,
    ) -> Result<(Vec<(PeriodRef, Ranking)>, Vec<String>), ReadError> {
        let windows = site.boards.values().flat_map(|board| board.windows.iter().map(move |window| (board, window)));
        let period = |(board, window): (&Rc<_>, &Window)| PeriodRef {
            board: Rc::clone(board),
            window: window.clone(),
            period: None,
            hour_starts_at: None,
        };
        let of: Vec<PeriodRef> = windows.filter(|(_, window)| is_one(window)).map(period).collect();
        if of.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let request = ReadRequest { site: Rc::clone(site), read: Read::Tops { of, limit: 1 }, by: String::new() };
        let Available { entry, unavailable } = self.read_available(&request, None, false).await?;
        let read = serde_json::from_slice::<RankingsJson>(&entry.json).map_err(|error| failed(error.to_string()))?;
        let current = request.without(&unavailable).periods().iter().cloned().zip(read.boards).collect();
        Ok((current, unavailable.iter().map(ToString::to_string).collect()))
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
                Ok(AllFullness { unavailable, .. }) if unavailable.is_empty() => self.agenda.rest(rest, now_ms, DUE_MS),
                Ok(AllFullness { unavailable, .. }) => failures.push(format!("{}: fullness: {}", site.name, no_answer(&unavailable))),
                Err(ReadError::Failed(failure)) => failures.push(format!("{}: fullness: {}", site.name, failure.detail)),
                Err(error) => failures.push(format!("{}: fullness: {error:?}", site.name)),
            }
        }
        failures
    }
}

/// A line about boards that Redis does not answer.
fn no_answer(unavailable: &[String]) -> String {
    format!("no answer about {}", unavailable.join(", "))
}

fn failed(detail: String) -> ReadError {
    ReadError::Failed(Failure { nothing_written: true, is_transient: false, script: None, detail })
}

/// Notes how many members a site has that was made at an instant.
#[expect(clippy::cast_precision_loss, reason = "instants are far below 2^53")]
fn note_members(site: &str, made_ms: i64, members: u32, now_ms: i64) -> Statement {
    let update = "UPDATE sites SET members = ?3, counted_at = ?4 WHERE name = ?1 AND made_at = ?2";
    Statement::new(update, vec![site.into(), Argument::Number(made_ms as f64), members.into(), Argument::Number(now_ms as f64)])
}
