//! Where members stand on a board.

use serde::Serialize;

use super::name::Id;
use super::page::{Entry, PeriodInfo};
use super::score::Score;
use super::site::{Board, Ranking, Site};
use super::window::Window;

/// Where some members of a period stand.
#[derive(Debug)]
pub struct Standings {
    pub info: PeriodInfo,
    /// Members of the period that are shown.
    pub total: u64,
    /// The kind of the ranks: that of the board, or competition while dense ranks are not known.
    pub ranking: Ranking,
    /// In the order in which they were asked for; `None` for who is not shown.
    pub members: Vec<Option<Standing>>,
    /// Who stands around the first one, itself among them.
    pub around: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub rank: u64,
    pub score: Score,
    /// Members that stand higher and have more.
    pub higher: u64,
}

#[derive(Serialize)]
struct MemberDocument<'s> {
    id: &'s Id,
    rank: Option<u64>,
    score: Option<Score>,
    total: u64,
    percentile: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'static str>,
    around: &'s [Entry],
}

#[derive(Serialize)]
struct RanksDocument<'s> {
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'static str>,
    ranks: Vec<RankDocument<'s>>,
}

#[derive(Serialize)]
struct RankDocument<'s> {
    id: &'s Id,
    rank: Option<u64>,
    score: Option<Score>,
    percentile: Option<Score>,
}

impl Standings {
    /// The first member's standing as JSON, and its version; `None` when it is not shown. Of a window that is not built yet nobody
    /// knows.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render_first(&self, site: &Site, board: &Board, window: &Window, id: &Id) -> serde_json::Result<Option<(Vec<u8>, String)>> {
        let standing = self.members.first().copied().flatten();
        if standing.is_none() && !self.info.is_unbuilt() {
            return Ok(None);
        }
        let document = MemberDocument {
            id,
            rank: standing.map(|standing| standing.rank),
            score: standing.map(|standing| standing.score),
            total: self.total,
            percentile: standing.map(|standing| self.percentile(standing)),
            ranking: self.other_ranking(board),
            around: &self.around,
        };
        self.info.with(site, board, window, &document).map(Some)
    }

    /// All members' standings as JSON, and their version; `ids` are those that were asked for.
    ///
    /// # Errors
    /// When they have no JSON.
    pub fn render(&self, site: &Site, board: &Board, window: &Window, ids: &[Id]) -> serde_json::Result<(Vec<u8>, String)> {
        let rank = |(id, standing): (_, &Option<Standing>)| RankDocument {
            id,
            rank: standing.map(|standing| standing.rank),
            score: standing.map(|standing| standing.score),
            percentile: standing.map(|standing| self.percentile(standing)),
        };
        let ranks = ids.iter().zip(&self.members).map(rank).collect();
        self.info.with(site, board, window, &RanksDocument { total: self.total, ranking: self.other_ranking(board), ranks })
    }

    /// The kind of the ranks, where it is not the board's.
    fn other_ranking(&self, board: &Board) -> Option<&'static str> {
        (self.ranking != board.ranking).then(|| self.ranking.name())
    }

    /// What percentage of the members has no more than this one, itself among them; with two decimals.
    fn percentile(&self, standing: Standing) -> Score {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 members")]
        let share = self.total.saturating_sub(standing.higher) as f64 / self.total.max(1) as f64;
        Score::new((share * 10_000.0).round() / 100.0).unwrap_or(Score::ONE)
    }
}
