//! Tiers: names for the best shares of a board's members, such as the first percent.
//!
//! A tier follows from a rank and the number of members, which every answer that has a rank has read. So it costs nothing.

use super::name::Name;

/// A name for the members up to a share of them, behind those of the tiers before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tier {
    pub name: Name,
    /// Hundredths of a percent.
    pub top: u32,
}

/// The tiers of a board, the best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tiers(pub Vec<Tier>);

impl Tiers {
    /// So many a board may have.
    pub const MOST: usize = 10;
    /// All members, see [`Tier::top`].
    pub const ALL: u32 = 10_000;

    /// The name of the tier in which a rank is, of so many members. A share is rounded up, so that somebody is in each tier of a small board.
    pub fn of(&self, rank: u64, total: u64) -> Option<&str> {
        let holds = |tier: &&Tier| u128::from(rank) <= (u128::from(total) * u128::from(tier.top)).div_ceil(Self::ALL.into());
        self.0.iter().find(holds).map(|tier| tier.name.as_str())
    }

    /// What a version tells of them: nothing where there are none.
    pub fn version(&self) -> Vec<u8> {
        self.0.iter().flat_map(|tier| [tier.name.as_str(), ":", &tier.top.to_string(), " "].concat().into_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up() {
        let tier = |name: &str, top| Tier { name: Name::new(name).expect("a name"), top };
        let tiers = Tiers(vec![tier("gold", 100), tier("silver", 1_000), tier("bronze", 5_050)]);
        let cases = [
            (1, 1, Some("gold")),
            (1, 100, Some("gold")),
            (2, 100, Some("silver")),
            (2, 101, Some("gold")),
            (10, 100, Some("silver")),
            (11, 100, Some("bronze")),
            (51, 100, Some("bronze")),
            (52, 100, None),
            (1, 0, None),
            (u64::MAX / 100, u64::MAX, Some("gold")),
        ];
        for (rank, total, expected) in cases {
            assert_eq!(tiers.of(rank, total), expected, "{rank} of {total}");
        }
        assert_eq!(Tiers::default().of(1, 1), None);
    }
}
