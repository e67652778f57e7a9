//! How many members of a board lie in each interval of the scores.
//!
//! # Decisions
//!
//! - Nothing is kept for it: a sorted set counts an interval in about a microsecond. A count beside the board would cost each event two commands, would
//!   have to follow repairs, resets and trims, and could not tell of windows that fade. So it is right at any moment, and a call reads it in half a
//!   millisecond at most, of a million members, once in `fresh` a data center (`npm run bench -- --only ranks`).

use serde::Serialize;

use super::page::PeriodInfo;
use super::score::Score;
use super::site::{Board, Site};
use super::window::Window;

/// The members of a period by intervals of their scores, the best first.
#[derive(Debug)]
pub struct Distribution {
    pub info: PeriodInfo,
    /// Members of the period that are shown.
    pub total: u64,
    /// How many of them are pinned: the first ones, which are in no interval.
    pub pinned: u64,
    /// Those with members.
    pub intervals: Vec<Interval>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The best score in it.
    pub best: Score,
    /// The last score that belongs to it. What stands above belongs to the intervals before.
    pub score: Score,
    /// Members in it.
    pub members: u64,
}

#[derive(Serialize)]
struct Document {
    total: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pinned: u64,
    intervals: Vec<IntervalDocument>,
}

#[derive(Serialize)]
struct IntervalDocument {
    best: Score,
    score: Score,
    rank: u64,
    members: u64,
    top_percent: Score,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What percentage of so many members the first ones are; with two decimals, and never less than they are.
pub fn top_percent(first: u64, total: u64) -> Score {
    // Up, since the first one of a million is not among the first 0 %.
    let hundredths = (u128::from(first) * 10_000).div_ceil(u128::from(total.max(1)));
    let hundredths = u32::try_from(hundredths).unwrap_or(u32::MAX);
    Score::new(f64::from(hundredths) / 100.0).unwrap_or(Score::ONE)
}

impl Distribution {
    /// It as JSON, and its version.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render(&self, site: &Site, board: &Board, window: &Window) -> serde_json::Result<(Vec<u8>, String)> {
        let mut before = self.pinned;
        let interval = |&Interval { best, score, members }: &Interval| {
            let rank = before + 1;
            before += members;
            IntervalDocument { best, score, rank, members, top_percent: top_percent(before, self.total) }
        };
        let intervals = self.intervals.iter().map(interval).collect();
        self.info.with(site, board, window, &Document { total: self.total, pinned: self.pinned, intervals })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ones_are_never_among_fewer() {
        for (first, total, percent) in
            [(1, 1_000_000, "0.01"), (1, 3, "33.34"), (2, 3, "66.67"), (3, 3, "100"), (30, 1000, "3"), (0, 0, "0")]
        {
            assert_eq!(top_percent(first, total).to_string(), percent, "{first} of {total}");
        }
    }
}
