//! Where members and scores stand on a board.

use serde::Serialize;

use super::name::Id;
use super::page::{Entry, Meta, PeriodInfo};
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
    /// The lowest score above that of the first one, where it was asked for and somebody has more.
    pub next_score: Option<Score>,
    /// In the order in which they were asked for; `None` for who is not shown.
    pub members: Vec<Option<Standing>>,
    /// What stands beside the values of the members; empty where sums are ranked.
    pub metas: Vec<Option<Meta>>,
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

/// The ranks of a batch's members on a window, before and after it was counted.
#[derive(Debug)]
pub struct Moves {
    /// `None` where it has no name.
    pub period: Option<String>,
    /// Whether every member's score is right.
    pub complete: bool,
    /// The kind of the ranks, see [`Standings::ranking`].
    pub ranking: Ranking,
    /// Those of whom an event was counted.
    pub members: Vec<Move>,
}

/// Rank and score of a member before and after; `None` where it was or is not shown.
#[derive(Debug)]
pub struct Move {
    pub id: Id,
    pub before: Option<(u64, Score)>,
    pub after: Option<(u64, Score)>,
}

/// What a place is asked for with.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    Score(Score),
    Rank(u64),
}

/// The rank that a score would have, or the score of who has a rank.
#[derive(Debug)]
pub struct Place {
    pub info: PeriodInfo,
    /// Members of the period that are shown.
    pub total: u64,
    /// The kind of the ranks: that of the board, or competition while dense ranks are not known.
    pub ranking: Ranking,
    /// `None` for a score that would not be shown, or where the rank was asked with.
    pub rank: Option<u64>,
    /// `None` where nobody has the rank by its score, or where the score was asked with.
    pub score: Option<Score>,
}

#[derive(Serialize)]
struct PlaceDocument {
    rank: Option<u64>,
    score: Option<Score>,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'static str>,
}

impl Place {
    /// It as JSON, and its version.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render(&self, site: &Site, board: &Board, window: &Window, asked: Asked) -> serde_json::Result<(Vec<u8>, String)> {
        let (rank, score) = match asked {
            Asked::Score(score) => (self.rank, Some(score)),
            Asked::Rank(rank) => (Some(rank), self.score),
        };
        let ranking = (self.ranking != board.ranking).then(|| self.ranking.name());
        self.info.with(site, board, window, &PlaceDocument { rank, score, total: self.total, ranking })
    }
}

/// The next higher score than a member's, and how much it lacks.
#[derive(Serialize)]
struct NextDocument {
    score: Score,
    distance: Score,
}

#[derive(Serialize)]
struct MemberDocument<'s> {
    id: &'s Id,
    rank: Option<u64>,
    score: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'s Meta>,
    total: u64,
    percentile: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'s str>,
    next_higher: Option<NextDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'static str>,
    around: Vec<NeighborDocument<'s>>,
}

#[derive(Serialize)]
struct NeighborDocument<'s> {
    rank: u64,
    id: &'s Id,
    score: Score,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'s Meta>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'s str>,
}

#[derive(Serialize)]
struct RanksDocument<'s> {
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'static str>,
    ranks: Vec<RankDocument<'s>>,
}

#[derive(Serialize)]
#[expect(clippy::option_option, reason = "left out, null, or a rank")]
struct RankDocument<'s> {
    id: &'s Id,
    rank: Option<u64>,
    score: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'s Meta>,
    percentile: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank_among: Option<Option<u64>>,
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
            meta: standing.and_then(|_| self.meta(0)),
            total: self.total,
            percentile: standing.map(|standing| self.percentile(standing)),
            tier: standing.and_then(|standing| board.tiers.of(standing.rank, self.total)),
            next_higher: standing.and_then(|standing| self.next_higher(standing)),
            ranking: self.other_ranking(board),
            around: self.around.iter().map(|entry| self.neighbor(board, entry)).collect(),
        };
        self.info.with(site, board, window, &document).map(Some)
    }

    /// All members' standings as JSON, and their version; `ids` are those that were asked for. `among`: with their ranks among
    /// themselves.
    ///
    /// # Errors
    /// When they have no JSON.
    pub fn render(&self, site: &Site, board: &Board, window: &Window, ids: &[Id], among: bool) -> serde_json::Result<(Vec<u8>, String)> {
        let ranks_among = among.then(|| self.ranks_among(ids));
        let rank = |(at, (id, standing)): (usize, (_, &Option<Standing>))| RankDocument {
            id,
            rank: standing.map(|standing| standing.rank),
            score: standing.map(|standing| standing.score),
            meta: standing.and_then(|_| self.meta(at)),
            percentile: standing.map(|standing| self.percentile(standing)),
            tier: standing.and_then(|standing| board.tiers.of(standing.rank, self.total)),
            rank_among: ranks_among.as_ref().map(|ranks| ranks[at]),
        };
        let ranks = ids.iter().zip(&self.members).enumerate().map(rank).collect();
        self.info.with(site, board, window, &RanksDocument { total: self.total, ranking: self.other_ranking(board), ranks })
    }

    /// The ranks of members among themselves, by the kind of the ranks; `None` for who is not shown. One that is asked for twice counts
    /// once.
    fn ranks_among(&self, ids: &[Id]) -> Vec<Option<u64>> {
        let mut shown: Vec<(&Id, u64)> = ids.iter().zip(&self.members).filter_map(|(id, standing)| Some((id, (*standing)?.rank))).collect();
        shown.sort_unstable_by_key(|(id, rank)| (*rank, id.as_str()));
        shown.dedup_by_key(|(id, _)| *id);
        if self.ranking == Ranking::Dense {
            shown.dedup_by_key(|(_, rank)| *rank);
        }
        let before = |rank| u64::try_from(shown.partition_point(|(_, other)| *other < rank)).unwrap_or(u64::MAX);
        self.members.iter().map(|standing| standing.map(|standing| before(standing.rank) + 1)).collect()
    }

    fn neighbor<'s>(&self, board: &'s Board, Entry { rank, id, score, meta, .. }: &'s Entry) -> NeighborDocument<'s> {
        NeighborDocument { rank: *rank, id, score: *score, meta: meta.as_ref(), tier: board.tiers.of(*rank, self.total) }
    }

    fn meta(&self, at: usize) -> Option<&Meta> {
        self.metas.get(at).and_then(Option::as_ref)
    }

    fn next_higher(&self, standing: Standing) -> Option<NextDocument> {
        let score = self.next_score?;
        // Weights have six decimals at most; what subtraction adds beyond them is noise.
        let distance = Score::new(((score.value() - standing.score.value()).abs() * 1e6).round() / 1e6)?;
        Some(NextDocument { score, distance })
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
