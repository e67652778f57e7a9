//! How long periods are kept after their end.
//!
//! Base periods are kept for N + 1 long periods and two days, and at least as long as the unit's own retention. Hours need
//! `3600 × N`, not N times the longest hour: all changes of a zone together move the hours by one.

use std::ops::RangeInclusive;

use super::window::{Kind, Unit, Window};

/// Seconds for which the periods of some units are kept; of others the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention(Vec<(Unit, u64)>);

impl Retention {
    /// Seconds that a configuration may say of a unit. An erasure looks for periods as old as [`Self::longest_s`], so more is not allowed.
    pub fn allowed(unit: Unit) -> RangeInclusive<u32> {
        const DAY_S: u32 = 86_400;
        match unit {
            Unit::Hour => 3600..=31 * DAY_S,
            Unit::Day => DAY_S..=400 * DAY_S,
            Unit::Week => DAY_S..=2_900 * DAY_S,
            Unit::Month | Unit::Season => DAY_S..=10_000 * DAY_S,
            _ => DAY_S..=36_500 * DAY_S,
        }
    }

    /// The same, but of a unit.
    pub fn set(&mut self, unit: Unit, seconds: u64) {
        self.0.retain(|(other, _)| *other != unit);
        self.0.push((unit, seconds));
    }

    /// Seconds for which the periods of a unit are kept, unless a rolling window needs them for longer; 0 for ever.
    pub fn of(&self, unit: Unit) -> u64 {
        self.0.iter().find(|(of, _)| *of == unit).map_or(unit.retention_s(), |(_, seconds)| *seconds)
    }

    /// The periods that must be counted for some windows, the shortest first. Each has the seconds it is kept after its end
    /// (0 = for ever). That is long enough for every rolling window that will subtract it.
    pub fn counted_units(&self, windows: &[Window]) -> Vec<(Unit, u64)> {
        let kept_s = |unit: Unit| {
            let needs = windows.iter().filter_map(|window| match window.kind {
                Kind::Calendar(calendar) if calendar == unit => Some(0),
                Kind::Rolling { unit: base, length } if base == unit => Some(unit.needed_s(length)),
                _ => None,
            });
            let (needed, kept) = (needs.max()?, self.of(unit));
            Some((unit, if kept == 0 { 0 } else { needed.max(kept) }))
        };
        Unit::COUNTED.into_iter().filter_map(kept_s).collect()
    }

    /// Every period that any configuration counts, likewise: of grains and seasons only those of these windows. Others of grains soon
    /// expire, and nobody knows others of seasons.
    pub fn countable_units(windows: &[Window]) -> Vec<(Unit, u64)> {
        let counted = Self::default().counted_units(windows);
        let is_counted = |unit: &Unit| Unit::EACH.contains(unit) || counted.iter().any(|(counted, _)| counted == unit);
        Unit::COUNTED.into_iter().filter(is_counted).map(|unit| (unit, Self::longest_s(unit))).collect()
    }

    /// The longest that any configuration keeps the periods of a unit: what the longest rolling windows need; 0 for ever.
    pub fn longest_s(unit: Unit) -> u64 {
        if unit.retention_s() == 0 { 0 } else { unit.needed_s(unit.longest()).max(unit.retention_s()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::grain::Grain;
    use super::*;

    const DAY_S: u64 = 86_400;

    fn windows(names: &[&str]) -> Vec<Window> {
        names.iter().map(|name| Window::parse(name).expect("a window")).collect()
    }

    #[test]
    fn base_periods_are_kept_for_as_long_as_windows_need_them() {
        let windows = windows(&["day", "last-7-days", "last-400-days", "last-2-hours", "last-60-minutes", "all"]);
        let days_s = 401 * (DAY_S + 7200) + 2 * DAY_S;
        let units = [(Unit::Minutes(Grain::One), 61 * 60 + 600), (Unit::Hour, 3 * DAY_S), (Unit::Day, days_s), (Unit::All, 0)];
        assert_eq!(Retention::default().counted_units(&windows), units);
    }

    #[test]
    fn nothing_is_kept_for_longer_than_an_erasure_looks() {
        for unit in Unit::ENDING.iter().copied() {
            let longest_s = Retention::longest_s(unit);
            assert!(longest_s == 0 || u64::from(*Retention::allowed(unit).end()) <= longest_s, "{unit:?}");
        }
    }

    #[test]
    fn a_configuration_keeps_periods_for_longer_or_shorter() {
        let mut retention = Retention::default();
        retention.set(Unit::Hour, 3600);
        retention.set(Unit::Day, DAY_S);
        retention.set(Unit::Day, 9 * DAY_S);
        retention.set(Unit::Year, 400 * DAY_S);
        let expected = [(Unit::Hour, 3 * 3600 + 2 * DAY_S), (Unit::Day, 9 * DAY_S), (Unit::Week, 366 * DAY_S), (Unit::Year, 400 * DAY_S)];
        assert_eq!(retention.counted_units(&windows(&["last-2-hours", "day", "week", "year"])), expected);
    }
}
