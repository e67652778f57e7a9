//! A member's scores over time: `GET /v1/{site}/boards/{board}/{window}/members/{id}/series`.

use std::rc::Rc;

use http::Response;
use serde::Serialize;

use super::problem::{Code, Problem};
use super::top::find_window;
use super::{Call, json};
use crate::app::archive::{NoSeries, Point, Span};
use crate::app::database::DatabaseError;
use crate::app::{App, Runtime};
use crate::ranking::name::Id;
use crate::ranking::page::rfc3339;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::Site;
use crate::ranking::window::{Kind, Unit};

/// Points unless `from` says otherwise, and at most: each is two or three commands, so 1,200.
const DEFAULT_POINTS: u32 = 30;
const MAX_POINTS: u32 = 400;

#[derive(Serialize)]
struct Document<'d> {
    site: &'d str,
    board: &'d str,
    window: &'d str,
    id: &'d Id,
    complete: bool,
    points: Vec<PointDocument>,
}

#[derive(Serialize)]
#[expect(clippy::option_option, reason = "a rank that was not asked for is left out, and one that is not there is null")]
struct PointDocument {
    period: Option<String>,
    starts_at: Option<String>,
    score: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<Option<u64>>,
}

/// 1. 404 for a board or window that the site has not, or that is no calendar window; 400 for wrong parameters, or too many periods.
/// 2. 503 when Redis or the archive does not answer.
/// 3. 404 for a hidden member; else 200 with a point for each period, the oldest first.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (board, id) = (call.board(site)?, call.id()?);
    let window = find_window(board, &call.path.window)?;
    let Some(unit) = window.period_unit().filter(|unit| window.kind == Kind::Calendar(*unit) && *unit != Unit::Season) else {
        let detail =
            format!("the window {} has no periods of its own; calendar windows have a series: hour, day, week, month, year", window.name);
        return Err(Problem::new(Code::UnknownWindow, detail));
    };
    let (from, until) = (period(call, "from", unit, site)?, period(call, "to", unit, site)?);
    let ranks = call.query.number("rank", 0, 0, 1, "")? == 1;
    let span = Span { unit, from: from.ok_or(if unit == Unit::All { 0 } else { DEFAULT_POINTS - 1 }), until, most: MAX_POINTS, ranks };
    let series = app.series(site, board, &id, span).await.map_err(|error| problem(error, &id))?;
    let point = |point: &Point| PointDocument {
        period: point.period.id(point.starts_at, site.week_starts_on),
        starts_at: point.starts_at.and_then(|at| rfc3339(at * 1_000, false)),
        score: point.score,
        rank: ranks.then_some(point.rank),
    };
    json(&Document {
        site: site.name.as_str(),
        board: board.name.as_str(),
        window: window.name.as_str(),
        id: &id,
        complete: series.complete,
        points: series.points.iter().map(point).collect(),
    })
}

/// The number of the period that a parameter names.
fn period(call: &Call<'_>, name: &str, unit: Unit, site: &Site) -> Result<Option<i64>, Problem> {
    let Some(id) = call.query.text(name) else { return Ok(None) };
    let invalid = || Problem::new(Code::InvalidPeriod, format!("{name} = {id:?} is not allowed; allowed: {}", Period::allowed(unit)));
    Period::parse(unit, id, site.week_starts_on).map(|period| Some(period.number)).ok_or_else(invalid)
}

fn problem(error: NoSeries, id: &Id) -> Problem {
    match error {
        NoSeries::Hidden => Problem::new(Code::NotOnBoard, format!("the member {:?} is not on the board", id.as_str())),
        NoSeries::Many(count) => {
            let detail = format!("from and to name {count} periods; allowed: up to {MAX_POINTS}");
            Problem::new(Code::InvalidParameter, detail)
        }
        NoSeries::Failed(failure) => Problem::redis(failure),
        NoSeries::Unarchived(detail) => Problem::database(DatabaseError::Failed(detail)),
    }
}
