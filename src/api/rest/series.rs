//! Scores over time: `GET …/{window}/members/{id}/series` of a member, and `POST …/{window}/series` of up to 100.

use std::rc::Rc;

use http::Response;
use serde::Serialize;
use serde_json::{Map, Value};

use super::members::read_ids;
use super::problem::{Code, Problem};
use super::top::find_window;
use super::{Call, json};
use crate::app::archive::{MemberSeries, NoSeries, Point, SeriesList, Span};
use crate::app::{App, Runtime};
use crate::ranking::composed::counts;
use crate::ranking::name::Id;
use crate::ranking::page::rfc3339;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::{Kind, Unit, Window};

/// Points of a member unless `from` says otherwise, and at most: each is two or three commands, so 1,200.
const DEFAULT_POINTS: u32 = 30;
const MAX_POINTS: u32 = 400;
/// Points of all members: a hundred have 32. Where ranks are asked for each is a command, so that there are as many as of one member.
const MAX_ALL_POINTS: u32 = 3_200;
const MAX_ALL_RANKS: u32 = 1_200;

/// What series are of.
struct Asked<'a> {
    site: &'a Rc<Site>,
    board: &'a Rc<Board>,
    window: &'a Window,
    span: Span,
}

#[derive(Serialize)]
struct Document<'d> {
    site: &'d str,
    board: &'d str,
    window: &'d str,
    by: &'d str,
    id: &'d Id,
    complete: bool,
    points: Vec<PointDocument>,
}

#[derive(Serialize)]
struct ListDocument<'d> {
    site: &'d str,
    board: &'d str,
    window: &'d str,
    by: &'d str,
    complete: bool,
    series: Vec<OfDocument<'d>>,
}

/// The series of one of several members. One that is hidden has no scores.
#[derive(Serialize)]
struct OfDocument<'d> {
    id: &'d Id,
    points: Vec<PointDocument>,
}

#[derive(Serialize)]
#[expect(clippy::option_option, reason = "what was not asked for is left out, and what is not there is null")]
struct PointDocument {
    period: Option<String>,
    starts_at: Option<String>,
    score: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<Option<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Option<Map<String, Value>>>,
}

/// 1. 404 for a board or window that the site has not, or that has no such periods; 400 for wrong parameters, or too many periods.
/// 2. 503 when Redis or the archive does not answer.
/// 3. 404 for a hidden member; else 200 with a point for each period, the oldest first.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (id, asked) = (call.id()?, Asked::read(site, call, 1)?);
    let series = asked.answer(app, std::slice::from_ref(&id)).await?;
    let of = series.members.first().filter(|of| !of.is_hidden);
    let hidden = || Problem::new(Code::NotOnBoard, format!("the member {:?} is not on the board", id.as_str()));
    json(&Document {
        site: site.name.as_str(),
        board: asked.board.name.as_str(),
        window: asked.window.name.as_str(),
        by: asked.span.unit.name(),
        id: &id,
        complete: series.complete,
        points: asked.points(of.ok_or_else(hidden)?),
    })
}

/// The statuses are those of [`get`], but that hidden members are there, as those are of whom nothing is known; 400 or 413 also for a wrong body.
pub async fn post<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let ids = read_ids(call.request.body())?;
    let asked = Asked::read(site, call, u32::try_from(ids.len()).unwrap_or(u32::MAX))?;
    let series = asked.answer(app, &ids).await?;
    json(&ListDocument {
        site: site.name.as_str(),
        board: asked.board.name.as_str(),
        window: asked.window.name.as_str(),
        by: asked.span.unit.name(),
        complete: series.complete,
        series: series.members.iter().map(|of| OfDocument { id: &of.id, points: asked.points(of) }).collect(),
    })
}

impl<'a> Asked<'a> {
    /// What a request asks for so many members.
    fn read(site: &'a Rc<Site>, call: &Call<'_>, members: u32) -> Result<Self, Problem> {
        let board = call.board(site)?;
        let window = find_window(board, &call.path.window)?;
        let unit = unit_of(board, window, call.query.text("by"))?;
        let (from, until) = (period(call, "from", unit, site)?, period(call, "to", unit, site)?);
        let (ranks, actions) = (call.query.flag("rank", false)?, call.query.flag("actions", false)?);
        if actions && !board.breakdown {
            let detail = format!("the board {} keeps no counts by action; breakdown = true makes it", board.name);
            return Err(Problem::new(Code::InvalidParameter, detail));
        }
        let all = if ranks { MAX_ALL_RANKS } else { MAX_ALL_POINTS };
        let most = MAX_POINTS.min(all / members.max(1));
        let from = from.ok_or(if unit == Unit::All { 0 } else { DEFAULT_POINTS.min(most) - 1 });
        Ok(Self { site, board, window, span: Span { unit, from, until, most, ranks, actions } })
    }

    async fn answer<R: Runtime>(&self, app: &App<R>, ids: &[Id]) -> Result<SeriesList, Problem> {
        app.series(self.site, self.board, ids, self.span).await.map_err(|error| match error {
            NoSeries::Many(count) => {
                let detail = match ids.len() {
                    1 => format!("from and to name {count} periods; allowed: up to {}", self.span.most),
                    members => format!("from and to name {count} periods; allowed: up to {} of {members} members", self.span.most),
                };
                Problem::new(Code::InvalidParameter, detail)
            }
            NoSeries::Failed(failure) => Problem::redis(failure),
            NoSeries::Unarchived(error) => Problem::database(error),
        })
    }

    fn points(&self, of: &MemberSeries) -> Vec<PointDocument> {
        let point = |point: &Point| PointDocument {
            period: point.period.id(point.starts_at, self.site.week_starts_on),
            starts_at: point.starts_at.and_then(|at| rfc3339(at * 1_000, false)),
            score: point.score,
            rank: self.span.ranks.then_some(point.rank),
            actions: self.span.actions.then(|| point.tally.as_deref().map(counts)),
        };
        of.points.iter().map(point).collect()
    }
}

/// The unit of the periods: that of a calendar window, unless `by` names one that the board counts.
fn unit_of(board: &Board, window: &Window, by: Option<&str>) -> Result<Unit, Problem> {
    let Some(by) = by else {
        let unit = window.period_unit().filter(|unit| window.kind == Kind::Calendar(*unit) && *unit != Unit::Season);
        let detail = || {
            format!(
                "the window {} has no periods of its own; calendar windows have a series: hour, day, week, month, year; of others by says \
                 which periods",
                window.name
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
