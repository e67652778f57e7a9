//! Events of the site's own servers: `POST /v1/{site}/events`.

use http::{Response, StatusCode, header};
use ranking::site::Site;
use ranking::token::Tokens;
use ranking::zone::Years;
use serde::Serialize;

use super::problem::Problem;
use super::{Call, json};
use crate::app::counting::{EventCode, EventOutcome, Refusal};
use crate::app::frozen::{FrozenPeriods, Touched};
use crate::app::{App, Runtime};

/// For how long new members are counted, from the first one on, and visitors, from the day's start on.
const HOUR_S: i64 = 3_600;
const DAY_S: i64 = 86_400;

#[derive(Serialize)]
struct Counts {
    accepted: usize,
    duplicate: usize,
    rejected: Vec<Rejected>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<super::rest::StandingDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frozen: Option<FrozenDocument>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FrozenDocument {
    Periods(Vec<PeriodsDocument>),
    /// Null: the database does not answer.
    Unknown,
}

/// Periods of a window that were frozen before an event of theirs came, or that have it.
#[derive(Serialize)]
struct PeriodsDocument {
    board: String,
    window: String,
    periods: Vec<String>,
}

#[derive(Serialize)]
struct Rejected {
    /// Place in the request's list.
    index: usize,
    code: &'static str,
    detail: String,
}

/// 1. 404 or 400 for a ranking that cannot tell how its members move.
/// 2. 400 or 413 for a body that is not a batch.
/// 3. 503 or 504 when Redis does not answer.
/// 4. 400, 409 or 429 for a bare event that no board takes.
/// 5. 200 with what became of the events; each that can't be counted is reported and the rest are counted. 202 when a queue keeps
///    the rest, and they count later. The frozen periods are named that late events are of.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let stand = super::rest::stand_of(site, call)?;
    let taken = app.counting().count_events(site, tokens, call.request.body(), stand.as_ref()).await?;
    if let (true, Some(EventOutcome::Refused(refusal))) = (taken.is_bare, taken.outcomes.first()) {
        return Err(refused(app, site, refusal.clone()));
    }
    let mut counts = Counts {
        accepted: 0,
        duplicate: 0,
        rejected: Vec::new(),
        standing: stand.and_then(super::rest::describe_stand),
        frozen: describe_touched(taken.touched),
    };
    for (index, outcome) in taken.outcomes.into_iter().enumerate() {
        match outcome {
            EventOutcome::Accepted => counts.accepted += 1,
            EventOutcome::Duplicate => counts.duplicate += 1,
            EventOutcome::Refused(Refusal { code, detail }) => counts.rejected.push(Rejected { index, code: code.name(), detail }),
        }
    }
    let mut response = json(&counts)?;
    if taken.is_kept {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// Of a bare event. One that may count later, when there is room again, says when that is.
fn refused<R: Runtime>(app: &App<R>, site: &Site, refusal: Refusal) -> Problem {
    let now_s = i64::try_from(app.runtime.clock_ms() / 1000).unwrap_or(i64::MAX);
    let wait_s = match refusal.code {
        EventCode::TooManyNew => Some(HOUR_S),
        EventCode::TooManyVisitors => {
            let zone = app.runtime.span(&site.timezone, Years::around(now_s, now_s));
            let local = now_s + i64::from(zone.stable_offset_at(now_s).offset) - i64::from(site.day_starts_at_s);
            Some(DAY_S - local.rem_euclid(DAY_S))
        }
        _ => None,
    };
    let mut problem = Problem::from(refusal);
    if let Some(wait_s) = wait_s {
        problem.header(header::RETRY_AFTER, &wait_s.to_string());
    }
    problem
}

/// `None` where there is nothing to say.
fn describe_touched(touched: Touched) -> Option<FrozenDocument> {
    let describe = |FrozenPeriods { board, window, periods }| PeriodsDocument { board, window, periods };
    match touched {
        Touched::None => None,
        Touched::Periods(periods) => Some(FrozenDocument::Periods(periods.into_iter().map(describe).collect())),
        Touched::Unknown => Some(FrozenDocument::Unknown),
    }
}
