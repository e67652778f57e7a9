//! Counting events: `lua/record.lua`, once per board, all boards in one round trip.

use std::fmt::Write;

use super::{RECORD, WindowArgs, Zones, board_prefix, fields, malformed, wanted_years, years_around};
use crate::adapter::{Error, Invocation, Transport, Value, script};
use crate::ranking::event::When;
use crate::ranking::name::{Id, ReplayId};
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::{Kind, counted_units};
use crate::ranking::zone::Years;

/// The events of a batch that count on one board.
#[derive(Clone, Debug)]
pub struct BoardBatch<'b> {
    pub board: &'b Board,
    pub id: Option<&'b ReplayId>,
    pub events: Vec<BoardEvent<'b>>,
}

/// What an event is on a board: a weight for a member.
#[derive(Clone, Debug)]
pub struct BoardEvent<'b> {
    pub member: &'b Id,
    pub weight: Score,
    pub when: When,
    pub id: Option<&'b ReplayId>,
}

/// What became of an event on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In every window that still keeps its period.
    Counted,
    /// Its id was seen before.
    Duplicate,
    /// Later than Redis's clock.
    Future,
    /// No window keeps its period any more.
    TooOld,
    /// New, and every window holds `max_members` already.
    Full,
}

/// The answer of one board: its events' outcomes, in order.
pub type Recorded = Result<Vec<Outcome>, Error>;

/// Records each board's events. `guess_s` (Unix seconds) only spares a second round trip.
///
/// # Errors
/// The outer error: no replies could be had, and every board's outcome is that error's.
pub async fn record(
    transport: &impl Transport,
    zones: &impl Zones,
    site: &Site,
    guess_s: i64,
    batches: &[BoardBatch<'_>],
) -> Result<Vec<Recorded>, Error> {
    let guess = years_around(guess_s);
    let calls: Vec<Invocation> = batches.iter().map(|batch| invocation(zones, site, guess, guess_s, batch)).collect();
    let mut recorded: Vec<Result<Reply, Error>> =
        script::run(transport, &calls).await?.into_iter().map(|reply| reply.and_then(read)).collect();

    let wanted: Vec<(usize, Years)> =
        recorded.iter().enumerate().filter_map(|(i, reply)| Some((i, reply.as_ref().ok()?.wanted()?))).collect();
    if !wanted.is_empty() {
        let again: Vec<Invocation> = wanted.iter().map(|(i, span)| invocation(zones, site, *span, guess_s, &batches[*i])).collect();
        let replies = match script::run(transport, &again).await {
            Ok(replies) => replies,
            // The boards that answered in the first trip keep their answers.
            Err(error) => vec![Err(error); again.len()],
        };
        for ((i, _), reply) in wanted.into_iter().zip(replies) {
            recorded[i] = reply.and_then(read);
        }
    }
    Ok(recorded
        .into_iter()
        .map(|reply| match reply? {
            Reply::Outcomes(outcomes) => Ok(outcomes),
            Reply::Span(_) => Err(malformed(&RECORD)),
        })
        .collect())
}

enum Reply {
    Outcomes(Vec<Outcome>),
    Span(Years),
}

impl Reply {
    fn wanted(&self) -> Option<Years> {
        match self {
            Self::Span(years) => Some(*years),
            Self::Outcomes(_) => None,
        }
    }
}

/// The arguments, in the order of the script's header.
fn invocation(zones: &impl Zones, site: &Site, years: Years, guess_s: i64, batch: &BoardBatch) -> Invocation {
    let board = batch.board;
    let units = counted_units(&board.windows);
    let zone = zones.span(&site.timezone, years);
    let calm = zone.calm_at(guess_s);
    let retention = units.iter().map(|(_, kept_s)| format!("{kept_s:010}")).collect();
    let id = |id: Option<&ReplayId>| id.map_or(String::new(), |id| id.as_str().into());
    let mut args = vec![
        units.iter().map(|(unit, _)| unit.letter()).collect(),
        calm.from.to_string(),
        calm.until.to_string(),
        calm.offset.to_string(),
        site.day_starts_at_s.to_string(),
        site.week_starts_on.num_days_from_monday().to_string(),
        board.replay_window_s.to_string(),
        board.max_members.to_string(),
        retention,
        rolling(board),
        decaying(board),
        zone.to_arg(),
        id(batch.id),
    ];
    debug_assert_eq!(args.len(), RECORD.args.len());
    for event in &batch.events {
        let when = match event.when {
            When::Now => String::new(),
            When::Ago(ms) => ms.to_string(),
            When::At(unix_ms) => format!("@{unix_ms}"),
        };
        args.extend([event.member.as_str().into(), event.weight.to_string(), when, id(event.id)]);
    }
    Invocation { script: &RECORD, keys: vec![board_prefix(site, board)], args }
}

/// `name:unit:length …`
fn rolling(board: &Board) -> String {
    let mut text = String::new();
    for window in &board.windows {
        if let Kind::Rolling { unit, length } = window.kind {
            let _ = write!(text, " {}:{}:{length}", window.name, unit.letter());
        }
    }
    text
}

/// `name:kind:unit:amount:at …`
fn decaying(board: &Board) -> String {
    let mut text = String::new();
    for window in &board.windows {
        if !matches!(window.kind, Kind::Calendar(_) | Kind::Rolling { .. }) {
            let WindowArgs { kind, unit, amount, at_s, .. } = WindowArgs::of(window.kind);
            let _ = write!(text, " {}:{kind}:{unit}:{amount}:{at_s}", window.name);
        }
    }
    text
}

fn read(reply: Value) -> Result<Reply, Error> {
    let fields = fields(&RECORD, reply)?;
    if let Some(years) = wanted_years(&fields) {
        return Ok(Reply::Span(years));
    }
    match fields.as_slice() {
        [_, Value::Int(_now_ms), Value::BulkString(letters)] => letters
            .iter()
            .map(|letter| match letter {
                b'c' => Ok(Outcome::Counted),
                b'd' => Ok(Outcome::Duplicate),
                b'f' => Ok(Outcome::Future),
                b'o' => Ok(Outcome::TooOld),
                b'r' => Ok(Outcome::Full),
                _ => Err(malformed(&RECORD)),
            })
            .collect::<Result<_, _>>()
            .map(Reply::Outcomes),
        _ => Err(malformed(&RECORD)),
    }
}
