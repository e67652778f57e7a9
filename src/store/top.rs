//! Reading a page of a ranking: `lua/top.lua`.

use super::{TOP, WindowArgs, Zones, ask, board_prefix, malformed, text, years_around};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::page::Page;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::{Kind, Unit, Window};

/// Which members of which period of a window.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'w> {
    pub window: &'w Window,
    /// `None`: the period that holds now.
    pub period: Option<Period>,
    pub offset: u32,
    pub limit: u32,
}

/// Reads a page. `guess_s` (Unix seconds) only spares a second round trip.
///
/// # Errors
/// Why it could not be read.
pub async fn top(
    transport: &impl Transport,
    zones: &impl Zones,
    site: &Site,
    board: &Board,
    guess_s: i64,
    slice: Slice<'_>,
) -> Result<Page, Error> {
    let about = slice.period.and_then(|period| period.about(site.week_starts_on));
    let kind = slice.window.kind;
    let years = match (about, kind) {
        (Some(about), Kind::Calendar(_)) => years_around(about),
        (Some(about), _) => years_around(about).and(years_around(guess_s)),
        (None, _) => years_around(guess_s),
    };
    let invocation = |zone: String| {
        let WindowArgs { kind: label, unit, length, amount, at_s } = WindowArgs::of(kind);
        let decays = matches!(kind, Kind::HalfLife { .. } | Kind::Step { .. });
        let args = vec![
            slice.window.name.to_string(),
            label.into(),
            unit.into(),
            length.to_string(),
            amount,
            at_s.to_string(),
            Score::new(if decays { board.floor() } else { 0.0 }).map_or(String::new(), |floor| floor.to_string()),
            slice.period.map_or(String::new(), |period| period.number.to_string()),
            slice.offset.to_string(),
            slice.limit.to_string(),
            site.day_starts_at_s.to_string(),
            site.week_starts_on.num_days_from_monday().to_string(),
            zone,
        ];
        debug_assert_eq!(args.len(), TOP.args.len());
        Invocation { script: &TOP, keys: vec![board_prefix(site, board)], args }
    };
    read(slice, &ask(transport, zones, site, years, invocation).await?)
}

fn read(slice: Slice, reply: &[Value]) -> Result<Page, Error> {
    let malformed = || malformed(&TOP);
    let [
        _,
        Value::Int(now_ms),
        Value::Int(number),
        named_at,
        starts_at,
        ends_at,
        Value::Int(complete),
        Value::Int(total),
        Value::Int(refused),
        members @ ..,
    ] = reply
    else {
        return Err(malformed());
    };
    // Numbers for a period with bounds, empty text for all time.
    let instant = |value: &Value| match value {
        Value::Int(seconds) => Ok(Some(*seconds)),
        Value::BulkString(empty) if empty.is_empty() => Ok(None),
        _ => Err(malformed()),
    };
    let member = |pair: &[Value]| {
        let [id, score] = pair else { return None };
        Some((text(id)?.to_owned(), Score::parse(text(score)?)?))
    };
    let unit = match slice.window.kind {
        Kind::Calendar(unit) | Kind::Rolling { unit, .. } | Kind::Linear { resets: unit, .. } => unit,
        Kind::HalfLife { .. } | Kind::Step { .. } => Unit::All,
    };
    Ok(Page {
        period: Period { unit, number: *number },
        named_at: instant(named_at)?,
        starts_at: instant(starts_at)?,
        ends_at: instant(ends_at)?,
        now_ms: *now_ms,
        complete: *complete == 1,
        total: u64::try_from(*total).map_err(|_| malformed())?,
        refused: u64::try_from(*refused).map_err(|_| malformed())?,
        offset: slice.offset,
        members: members.chunks(2).map(|pair| member(pair).ok_or_else(malformed)).collect::<Result<_, _>>()?,
    })
}
