//! A period of a window of a board, as the scripts' arguments and replies have it.

use super::scripts::{CalendarFields, PeriodFields, StableOffsetFields, VisibleFields, WindowFields};
use crate::ranking::page::PeriodInfo;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site, Ties};
use crate::ranking::window::{Kind, Unit, Window};
use crate::ranking::zone::{Years, ZoneSpan};

/// A period of a window of a board.
#[derive(Clone, Copy, Debug)]
pub struct WindowRef<'b> {
    pub site: &'b Site,
    pub board: &'b Board,
    pub window: &'b Window,
    /// `None`: the period that holds now.
    pub period: Option<Period>,
}

impl WindowRef<'_> {
    /// The years of the zone that the script will need, by a guess of the time (Unix seconds).
    pub(super) fn years(&self, guess_s: i64) -> Years {
        match (self.period.and_then(|period| period.about(self.site.week_starts_on)), self.window.kind) {
            (Some(about), Kind::Calendar(_)) => Years::around(about, about),
            (Some(about), _) => Years::around(about, about).and(Years::around(guess_s, guess_s)),
            (None, _) => Years::around(guess_s, guess_s),
        }
    }

    pub(super) fn fields(&self) -> WindowFields {
        window_fields(self.window, self.period)
    }

    pub(super) fn visible(&self) -> VisibleFields {
        VisibleFields {
            min_score: Score::new(self.board.min_shown(self.window)).unwrap_or(Score::ZERO),
            ties: self.board.ties.filter(|_| self.window.sums_weights()).map_or("", Ties::name).into(),
            ranking: self.board.ranking.name().into(),
        }
    }

    /// The period that a script answered.
    pub(super) fn period_info(&self, fields: &PeriodFields) -> PeriodInfo {
        let unit = match self.window.kind {
            Kind::Calendar(unit) | Kind::Rolling { unit, .. } | Kind::Linear { resets: unit, .. } => unit,
            Kind::HalfLife { .. } | Kind::Step { .. } => Unit::All,
        };
        PeriodInfo {
            period: Period { unit, number: fields.number },
            named_at: fields.named_at,
            starts_at: fields.starts_at,
            ends_at: fields.ends_at,
            now_ms: fields.now_ms,
            complete: fields.complete,
        }
    }
}

/// A window, and the period that is asked for.
pub(super) fn window_fields(window: &Window, period: Option<Period>) -> WindowFields {
    let (kind, unit, length, amount, at_s) = kind_fields(window.kind);
    WindowFields {
        window: window.name.to_string(),
        kind: kind.into(),
        unit: unit.into(),
        length: length.into(),
        amount,
        at: at_s.into(),
        number: period.map_or(String::new(), |period| period.number.to_string()),
    }
}

/// The fields `kind`, `unit`, `length`, `amount` and `at` of a kind of window.
pub(super) fn kind_fields(kind: Kind) -> (&'static str, char, u32, Score, u32) {
    match kind {
        Kind::Calendar(unit) => ("calendar", unit.code(), 1, Score::ZERO, 0),
        Kind::Rolling { unit, length } => ("rolling", unit.code(), length, Score::ZERO, 0),
        Kind::HalfLife { life_ms } => ("half-life", '-', 1, Score::from_integer(life_ms), 0),
        Kind::Step { every, factor } => ("step", every.code(), 1, factor, 0),
        Kind::Linear { resets, at_s, beta } => ("linear", resets.code(), 1, beta, at_s),
    }
}

/// A site's calendar over a span of its zone.
pub(super) fn calendar_fields(site: &Site, zone: &ZoneSpan) -> CalendarFields {
    CalendarFields {
        day_starts_at: site.day_starts_at_s.into(),
        week_starts_on: site.week_starts_on.num_days_from_monday().into(),
        zone: zone.to_arg(),
    }
}

/// The zone's offset around a guess of the time (Unix seconds).
pub(super) fn stable_offset_fields(zone: &ZoneSpan, guess_s: i64) -> StableOffsetFields {
    let stable = zone.stable_offset_at(guess_s);
    StableOffsetFields { stable_from: stable.from, stable_until: stable.until, stable_offset: stable.offset.into() }
}
