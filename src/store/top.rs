//! Reading a page of a ranking: `lua/top.lua`.

use redis::FromRedisValue;

use super::{Span, TOP, Zones, board_prefix, fields, malformed};
use crate::adapter::{Error, Fault, Invocation, Transport, Value, script};
use crate::ranking::page::Page;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Unit;

/// Which members of which period.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    pub unit: Unit,
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
    slice: Slice,
) -> Result<Page, Error> {
    let about = slice.period.and_then(|period| period.about(site.week_starts_on)).unwrap_or(guess_s);
    let reply = ask(transport, zones, site, board, Span::around(about), slice).await?;
    let reply = match Span::wanted(&reply) {
        Some(wanted) => ask(transport, zones, site, board, wanted, slice).await?,
        None => reply,
    };
    read(slice, &reply)
}

async fn ask(
    transport: &impl Transport,
    zones: &impl Zones,
    site: &Site,
    board: &Board,
    span: Span,
    slice: Slice,
) -> Result<Vec<Value>, Error> {
    let args = vec![
        slice.unit.letter().to_string(),
        slice.period.map_or(String::new(), |period| period.number.to_string()),
        slice.offset.to_string(),
        slice.limit.to_string(),
        site.day_starts_at_s.to_string(),
        site.week_starts_on.num_days_from_monday().to_string(),
        zones.span(&site.timezone, span.years).to_arg(),
    ];
    debug_assert_eq!(args.len(), TOP.args.len());
    let call = Invocation { script: &TOP, keys: vec![board_prefix(site, board)], args };
    let reply = script::run(transport, &[call]).await?.pop();
    fields(&TOP, reply.unwrap_or_else(|| Err(Error::new(Fault::Malformed, "no reply")))?)
}

fn read(slice: Slice, reply: &[Value]) -> Result<Page, Error> {
    let malformed = || malformed(&TOP);
    let [_, Value::Int(now_ms), Value::Int(number), starts_at, ends_at, Value::Int(total), Value::Int(refused), members @ ..] = reply
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
        Some((String::from_redis_value_ref(id).ok()?, Score::parse(&String::from_redis_value_ref(score).ok()?)?))
    };
    Ok(Page {
        period: Period { unit: slice.unit, number: *number },
        starts_at: instant(starts_at)?,
        ends_at: instant(ends_at)?,
        now_ms: *now_ms,
        total: u64::try_from(*total).map_err(|_| malformed())?,
        refused: u64::try_from(*refused).map_err(|_| malformed())?,
        offset: slice.offset,
        members: members.chunks(2).map(|pair| member(pair).ok_or_else(malformed)).collect::<Result<_, _>>()?,
    })
}
