//! How many members the periods of a board may hold.

use super::name::Name;
use super::window::{Kind, Unit, Window};

/// Bounds by the units whose periods are counted, and by decaying windows. A rolling window is bounded by the periods that it is
/// made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// The greatest bound.
    most: u32,
    units: Vec<(Unit, u32)>,
    decaying: Vec<(Name, u32)>,
}

impl Capacity {
    /// The bound of what is not configured.
    pub const DEFAULT: u32 = 1_000_000;

    /// The same bound for every window.
    pub fn of_all(most: u32) -> Self {
        Self { most, units: Vec::new(), decaying: Vec::new() }
    }

    /// Bounds of all counted units, and of all decaying windows.
    pub fn new(units: Vec<(Unit, u32)>, decaying: Vec<(Name, u32)>) -> Self {
        let bounds = units.iter().map(|(_, bound)| bound).chain(decaying.iter().map(|(_, bound)| bound));
        Self { most: bounds.copied().max().unwrap_or(Self::DEFAULT), units, decaying }
    }

    /// The greatest bound of any window.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// Members that a period of a window may hold; of a rolling window each period that it is made of.
    pub fn of(&self, window: &Window) -> u32 {
        let own = match window.kind {
            Kind::Calendar(unit) | Kind::Rolling { unit, .. } => bound_of(&self.units, &unit),
            _ => bound_of(&self.decaying, &window.name),
        };
        own.unwrap_or(self.most)
    }

    /// As the scripts' argument has it: the greatest bound, and those that are less.
    pub fn to_arg(&self) -> String {
        let less = |bound: u32| bound < self.most;
        let units = self.units.iter().filter(|(_, bound)| less(*bound)).map(|(unit, bound)| format!(" {}={bound}", unit.code()));
        let decaying = self.decaying.iter().filter(|(_, bound)| less(*bound)).map(|(name, bound)| format!(" :{name}={bound}"));
        units.chain(decaying).fold(self.most.to_string(), |arg, word| arg + &word)
    }
}

/// Which part of a bound is used, with two decimals.
pub fn share(members: u64, bound: u32) -> f64 {
    let percent = members.saturating_mul(100) / u64::from(bound.max(1));
    f64::from(u32::try_from(percent).unwrap_or(u32::MAX)) / 100.0
}

/// Whether so much of a bound is used that somebody should look.
pub fn is_nearly_full(members: u64, bound: u32) -> bool {
    members.saturating_mul(5) >= u64::from(bound).saturating_mul(4)
}

fn bound_of<K: PartialEq>(bounds: &[(K, u32)], key: &K) -> Option<u32> {
    bounds.iter().find(|(known, _)| known == key).map(|(_, bound)| *bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_their_bounds() {
        let hot = Window::new(Name::new("hot").expect("a name"), Kind::HalfLife { life_ms: 60_000 });
        let capacity = Capacity::new(vec![(Unit::Day, 50), (Unit::All, 100)], vec![(hot.name.clone(), 7)]);
        let parsed = |text| Window::parse(text).expect("a window");
        let of = [parsed("day"), parsed("last-7-days"), parsed("all"), hot].map(|window| capacity.of(&window));
        assert_eq!((of, capacity.most(), capacity.to_arg().as_str()), ([50, 50, 100, 7], 100, "100 d=50 :hot=7"));
        assert_eq!([0, 399, 400, 500].map(|members| is_nearly_full(members, 500)), [false, false, true, true]);
        let shares = [0, 1, 399, 500, 501].map(|members| share(members, 500).to_string());
        assert_eq!(shares, ["0", "0", "0.79", "1", "1"]);
        let alike = Capacity::of_all(5);
        assert_eq!((alike.of(&parsed("day")), alike.to_arg().as_str()), (5, "5"));
    }
}
