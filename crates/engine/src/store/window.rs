//! A period of a window of a board, as the scripts' arguments and replies have it.

use ranking::page::{LostPeriod, Meta, PeriodInfo};
use ranking::period::Period;
use ranking::read::PeriodRef;
use ranking::score::Score;
use ranking::site::{Site, Ties};
use ranking::window::{Kind, Unit, Window, seasons_of};
use ranking::zone::{Years, ZoneSpan};

use super::scripts::{CalendarFields, KeptFields, KnownFields, PeriodFields, StableOffsetFields, VisibleFields, WindowFields};

/// The years of the zone that a script will need, by a guess of the time (Unix seconds).
pub(super) fn years_of(site: &Site, of: &PeriodRef, guess_s: i64) -> Years {
    if let Some(season) = of.season_near(guess_s) {
        return Years::around(season.starts.min(guess_s), season.ends.max(guess_s));
    }
    match (of.period.and_then(|period| period.about(site.week_starts_on)), of.window.kind) {
        (Some(about), Kind::Calendar(_)) => Years::around(about, about),
        (Some(about), _) => Years::around(about, about).and(Years::around(guess_s, guess_s)),
        (None, _) => Years::around(guess_s, guess_s),
    }
}

/// How long the periods of a window are kept after their end, and how long a half-life's scores stand still: they lose 1 % meanwhile, or what
/// they lose while a ranking is fresh.
pub(super) fn kept_fields(of: &PeriodRef) -> KeptFields {
    let kept_s = of.window.period_unit().map_or(0, |unit| of.board.kept_s(unit));
    let fresh_ms = u64::from(of.board.fresh_s) * 1000;
    let tick_ms = match of.window.kind {
        Kind::HalfLife { life_ms } => fresh_ms.max(life_ms / 64),
        _ => fresh_ms,
    };
    KeptFields { kept: kept_s.try_into().unwrap_or(0), tick: tick_ms.try_into().unwrap_or(i64::MAX) }
}

/// The period that is asked for, and what is known of it.
pub(super) fn known_fields(of: &PeriodRef, known: &str) -> KnownFields {
    KnownFields { number: number_field(of.period), known: known.into() }
}

/// The number of a period that is asked for.
pub(super) fn number_field(period: Option<Period>) -> String {
    period.map_or(String::new(), |period| period.number.to_string())
}

/// Which members are shown, and their ranks.
pub(super) fn visible_fields(of: &PeriodRef) -> VisibleFields {
    let (board, window) = (&of.board, &of.window);
    VisibleFields {
        min_score: Score::new(board.min_shown(window)).unwrap_or(Score::ZERO),
        ties: ties_of(of).into(),
        has_metas: board.values.is_some().into(),
        ranking: board.ranking.name().into(),
    }
}

/// What stands beside values, by the scripts' text of it: whoever wrote it checked it.
pub(super) fn read_metas(text: &str) -> impl Iterator<Item = Option<Meta>> + use<> {
    let metas: Vec<Option<Meta>> = serde_json::from_str(text).unwrap_or_default();
    metas.into_iter()
}

/// Who stands first among ties, as far as their order is kept.
pub(super) fn ties_of(of: &PeriodRef) -> &'static str {
    of.board.ties.filter(|_| of.window.sums_weights()).map_or("", Ties::name)
}

/// The period that a script answered.
pub(super) fn period_info(of: &PeriodRef, fields: PeriodFields) -> PeriodInfo {
    let unit = match of.window.kind {
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
        scored_at_ms: fields.scored_at,
        replicated_ms: None,
        counted_since: fields.counted_since,
        lost: lost_periods(&fields.lost),
        known: fields.version,
        curated: fields.curated,
    }
}

/// Reads `number=starts_at …`.
fn lost_periods(text: &str) -> Vec<LostPeriod> {
    let period = |word: &str| {
        let (number, starts_at) = word.split_once('=')?;
        Some(LostPeriod { number: number.parse().ok()?, starts_at: starts_at.parse().ok()? })
    };
    text.split_ascii_whitespace().filter_map(period).collect()
}

/// A window that is read. Nobody subtracts a value that leaves, so a rolling window of values is made of its base periods.
pub(super) fn read_fields(of: &PeriodRef) -> WindowFields {
    let fields = window_fields(&of.window);
    if of.board.values.is_some() && fields.length > 1 { WindowFields { kind: "united".into(), ..fields } } else { fields }
}

pub(super) fn window_fields(window: &Window) -> WindowFields {
    let (kind, unit, length, amount, at_s) = kind_fields(window.kind);
    WindowFields { window: window.name.to_string(), kind: kind.into(), unit: unit.into(), length: length.into(), amount, at: at_s.into() }
}

/// The fields `kind`, `unit`, `length`, `amount` and `at` of a kind of window.
pub(super) fn kind_fields(kind: Kind) -> (&'static str, char, u32, Score, u32) {
    let name = kind.name();
    match kind {
        Kind::Calendar(unit) => ("calendar", unit.code(), 1, Score::ZERO, 0),
        Kind::Rolling { unit, length } => (name, unit.code(), length, Score::ZERO, 0),
        Kind::HalfLife { life_ms } => (name, '-', 1, Score::from_integer(life_ms), 0),
        Kind::Step { every, factor } => (name, every.code(), 1, factor, 0),
        Kind::Linear { resets, at_s, beta } => (name, resets.code(), 1, beta, at_s),
    }
}

/// A site's calendar over a span of its zone, and the seasons of some windows of a board.
pub(super) fn calendar_with_seasons(site: &Site, zone: &ZoneSpan, windows: &[Window]) -> CalendarFields {
    let mut fields = calendar_fields(site, zone);
    let seasons = seasons_of(windows);
    if !seasons.is_empty() {
        fields.zone.push_str(&zone.seasons_arg(&seasons));
    }
    fields
}

/// The years of the zone from the first season of some windows until a guess of the time (Unix seconds).
pub(super) fn years_with_seasons(guess_s: i64, windows: &[Window]) -> Years {
    let seasons = seasons_of(windows);
    Years::around(seasons.first().map_or(guess_s, |first| first.starts.min(guess_s)), guess_s)
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
