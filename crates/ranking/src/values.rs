//! Boards that rank values instead of sums: a member has the best of its events' values, or the last one.
//!
//! Sorted sets hold whole numbers above zero, of which the greatest stands first. So whatever reads, ranks and bounds sums does the
//! same for values of either sign, and for zero; [`Values`] turns one into the other.
//!
//! Ascending orders put the parts below a middle value, descending ones above it. The middle is 2^52, or half of the range of
//! sort keys where ties are ordered. Another policy, order, number of decimals or treatment of ties has keys of its own, since
//! its numbers mean something else. `lua/lib/values.lua` has the policies of the scripts.

use super::choice::choice;
use super::score::Score;

/// What a board makes of the events of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The sum of their weights.
    Sum,
    /// The greatest of their values.
    Max,
    /// The least of them.
    Min,
    /// That of the event that happened last.
    Last,
}

choice!(Policy { Sum = "sum", Max = "max", Min = "min", Last = "last" });

/// Who stands first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Who has the greatest score.
    Descending,
    /// Who has the least, as of times.
    Ascending,
}

choice!(Order { Descending = "descending", Ascending = "ascending" });

/// The values of a board, and how they are stored: as a middle, and so many of the smallest parts above it, or below it in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    pub policy: Policy,
    pub order: Order,
    /// Decimals that a value may have.
    pub decimals: u8,
    /// Whether they leave room for a sequence number, so that the order of ties is exact.
    pub has_ties: bool,
}

impl Values {
    /// The most decimals.
    pub const MAX_DECIMALS: u8 = 6;

    /// The stored middle: the half of what sort keys tell apart (`lua/lib/common/sort_keys.lua`), else of what a double does.
    fn middle(self) -> f64 {
        if self.has_ties { 267_911_168.0 / 2.0 } else { 4_503_599_627_370_496.0 }
    }

    fn parts(self) -> f64 {
        10_f64.powi(self.decimals.into())
    }

    fn sign(self) -> f64 {
        if self.order == Order::Ascending { -1.0 } else { 1.0 }
    }

    /// The greatest value; the least is as far below zero.
    pub fn most(self) -> Score {
        Score::new((self.middle() - 1.0) / self.parts()).unwrap_or(Score::ZERO)
    }

    /// What a value looks like, for messages.
    pub fn allowed(self) -> String {
        let most = (self.middle() - 1.0) / self.parts();
        format!("a number from -{most} to {most} with at most {} decimals", self.decimals)
    }

    /// A value as it is stored; `None` where it is too great or has too many decimals.
    pub fn stored(self, value: Score) -> Option<Score> {
        let parts = (value.value() * self.parts()).round();
        #[expect(clippy::float_cmp, reason = "it is to be its own rounding exactly")]
        let is_exact = parts / self.parts() == value.value() && parts.abs() < self.middle();
        is_exact.then(|| Score::new(self.middle() + self.sign() * parts)).flatten()
    }

    /// The same of any score that is asked for: the nearest that may be stored.
    pub fn nearest(self, value: Score) -> Score {
        let most = self.middle() - 1.0;
        let parts = (value.value() * self.parts()).round().clamp(-most, most);
        Score::new(self.middle() + self.sign() * parts).unwrap_or(Score::ZERO)
    }

    /// Zero as it is stored.
    pub fn origin(self) -> Score {
        Score::new(self.middle()).unwrap_or(Score::ZERO)
    }

    /// The value that is stored so; zero of who has none, as a pinned member may.
    pub fn shown(self, stored: Score) -> Score {
        if stored == Score::ZERO {
            return stored;
        }
        // Without a negative zero.
        let value = self.sign() * (stored.value() - self.middle()) / self.parts() + 0.0;
        Score::new(value).unwrap_or(Score::ZERO)
    }

    /// Which of two stored values a member keeps, as the scripts have it: a function of `lua/lib/values.lua`.
    pub fn keeps(self) -> &'static str {
        match (self.policy, self.order) {
            (Policy::Max | Policy::Sum, Order::Descending) | (Policy::Min, Order::Ascending) => "greatest",
            (Policy::Max | Policy::Sum, Order::Ascending) | (Policy::Min, Order::Descending) => "least",
            (Policy::Last, _) => "latest",
        }
    }

    /// Whether the values of periods tell that of a rolling window.
    pub fn unites(self) -> bool {
        match self.policy {
            Policy::Sum | Policy::Max | Policy::Min => true,
            Policy::Last => false,
        }
    }

    /// What the keys of the board have behind its name: values that mean something else lie elsewhere.
    pub fn key_part(self) -> String {
        let ties = if self.has_ties { ":ties" } else { "" };
        format!(":{}:{}:{}{ties}", self.policy.name(), self.order.name(), self.decimals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_stored_in_their_order() {
        for (decimals, has_ties) in [(0, false), (6, false), (0, true), (3, true)] {
            for order in Order::EACH {
                let values = Values { policy: Policy::Max, order, decimals, has_ties };
                let most = values.most().value();
                let each = [-most, -7.0, -0.5, 0.0, 0.001, 0.1, 0.3, 1.0, 82.417, most];
                let kept: Vec<f64> =
                    each.into_iter().filter(|value| values.stored(Score::new(*value).expect("finite")).is_some()).collect();
                assert!(kept.len() >= 5 && kept.contains(&0.0) && kept.contains(&most) && kept.contains(&-most), "{values:?}: {kept:?}");
                let stored: Vec<Score> =
                    kept.iter().map(|value| values.stored(Score::new(*value).expect("finite")).expect("kept")).collect();
                assert!(stored.iter().all(|stored| stored.value() >= 1.0 && stored.value().fract() == 0.0), "{stored:?}");
                assert!(stored.is_sorted() == (order == Order::Descending), "{stored:?}");
                let shown: Vec<f64> = stored.iter().map(|stored| values.shown(*stored).value()).collect();
                assert_eq!(shown, kept, "{values:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_stored_exactly_is_not() {
        let values = Values { policy: Policy::Min, order: Order::Ascending, decimals: 2, has_ties: true };
        for value in [0.001, 1_339_555.84, -1_339_555.84, 1e300] {
            let value = Score::new(value).expect("finite");
            assert_eq!(values.stored(value), None, "{value:?}");
            assert!(values.shown(values.nearest(value)).value().abs() <= values.most().value());
        }
        assert_eq!(values.allowed(), "a number from -1339555.83 to 1339555.83 with at most 2 decimals");
        assert_eq!(values.shown(values.stored(Score::ZERO).expect("zero")).to_string(), "0");
        assert_eq!(values.shown(Score::ZERO).to_string(), "0", "who has no value");
    }
}
