//! Scores over time: `GET …/{window}/members/{id}/series` of a member, and `POST …/{window}/series` of up to 100.

use std::rc::Rc;

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::name::Id;
use ranking::period::Period;
use ranking::series::Span;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Unit, Window};

use super::members::read_ids;
use super::problem::Problem;
use super::top::{answer, find_window};
use super::{Call, uncached};
use crate::app::price::points_of_page;
use crate::app::rankings::{PeriodRef, Read, ReadRequest};
use crate::app::{App, Runtime};

/// Points of a member unless `from` says otherwise, or fewer where a page has fewer.
const DEFAULT_POINTS: u32 = 30;

/// 1. 404 for a board or window that the site has not, or that has no such periods; 400 for wrong parameters.
/// 2. 429 for who had Redis asked too often. 503 when Redis or the archive does not answer and nothing was ever served.
/// 3. 404 for a hidden member; else 200 with a point for each period of the page, the oldest first.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let read = read(site, call, vec![call.id()?], false)?;
    answer(app, site, read, call).await
}

/// The statuses are those of [`get`], but that hidden members are there, as those are of whom nothing is known; 400 or 413 also for a wrong body.
pub async fn post<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let read = read(site, call, read_ids(call.request.body())?, true)?;
    let cached = app.rankings().ranking(&ReadRequest { site: Rc::clone(site), read, by: String::new() }, false).await?;
    app.memory.counters.add_read(site.name.as_str(), cached.result);
    Ok(uncached(StatusCode::OK, "application/json", cached.entry.json.to_vec()))
}

/// What a request asks for.
fn read(site: &Site, call: &Call<'_>, ids: Vec<Id>, is_list: bool) -> Result<Read, Problem> {
    let board = call.board(site)?;
    let window = find_window(board, &call.path.window)?;
    let unit = unit_of(board, window, call.query.text("by"))?;
    let (from, until) = (period(call, "from", unit, site)?, period(call, "to", unit, site)?);
    let (ranks, actions) = (call.query.flag("rank", false)?, call.query.flag("actions", false)?);
    if actions && !board.breakdown {
        let detail = format!("the board {} keeps no counts by action; breakdown = true makes it", board.name);
        return Err(Problem::new(Code::InvalidParameter, detail));
    }
    let most = points_of_page(u32::try_from(ids.len()).unwrap_or(u32::MAX), ranks, actions);
    let from = from.ok_or(if unit == Unit::All { 0 } else { DEFAULT_POINTS.min(most) - 1 });
    let of = PeriodRef { board: Rc::clone(board), window: window.clone(), period: None, hour_starts_at: None };
    Ok(Read::Series { of, ids, span: Span { unit, from, until, most, ranks, actions }, is_list })
}

/// The unit of the periods: that of a calendar window, unless `by` names one that the board counts.
fn unit_of(board: &Board, window: &Window, by: Option<&str>) -> Result<Unit, Problem> {
    let Some(by) = by else {
        let unit = window.period_unit().filter(|unit| window.kind == Kind::Calendar(*unit) && *unit != Unit::Season);
        let detail = || {
            format!(
                "the window {} has no periods of its own; calendar windows have a series: {}; of others by says which periods",
                window.name,
                Unit::EACH.map(Unit::name).join(", ")
            )
        };
        return unit.ok_or_else(|| Problem::new(Code::UnknownWindow, detail()));
    };
    let counted = board.counted_units();
    let units: Vec<Unit> = Unit::EACH.into_iter().filter(|unit| counted.iter().any(|(counted, _)| counted == unit)).collect();
    units.iter().copied().find(|unit| unit.name() == by).ok_or_else(|| {
        let names: Vec<&str> = units.iter().map(|unit| unit.name()).collect();
        let detail = format!("by = {by:?} is not allowed; the board {} counts these periods: {}", board.name, names.join(", "));
        Problem::new(Code::InvalidParameter, detail)
    })
}

/// The number of the period that a parameter names.
fn period(call: &Call<'_>, name: &str, unit: Unit, site: &Site) -> Result<Option<i64>, Problem> {
    let Some(id) = call.query.text(name) else { return Ok(None) };
    let invalid = || Problem::new(Code::InvalidPeriod, format!("{name} = {id:?} is not allowed; allowed: {}", Period::allowed(unit)));
    Period::parse(unit, id, site.week_starts_on).map(|period| Some(period.number)).ok_or_else(invalid)
}
