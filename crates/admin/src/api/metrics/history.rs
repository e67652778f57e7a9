//! Metrics over time, from the dataset that isolates report to: `GET /v1/{site}/admin/metrics/history`.

use http::Response;
use http::header::RETRY_AFTER;
use interface::code::Code;
use ranking::page::rfc3339;
use ranking::site::Site;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serve::api::{Call, Problem, json};
use serve::app::{App, Runtime};

/// Points of an answer, at most, and the shortest time between two of them. Isolates report each ten seconds.
const MAX_POINTS: u32 = 288;
const MIN_STEP_S: u32 = 60;
/// The platform keeps data points for three months.
const MAX_HOURS: u32 = 2160;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    hours: u32,
    step_s: u32,
    points: Vec<Point>,
}

/// A step in which something happened.
#[derive(Serialize)]
struct Point {
    at: Option<String>,
    #[serde(skip)]
    at_s: i64,
    events: u64,
    commands: u64,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

/// Numbers of 64 bits come as text.
#[derive(Deserialize)]
struct Row {
    at: Value,
    series: String,
    total: Value,
}

/// 1. 400 for wrong parameters.
/// 2. 404 where no dataset is read; 503 when it does not answer.
/// 3. 200 with events and commands of each step in which there were any.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let hours = call.query.number("hours", 24, 1, MAX_HOURS, "")?;
    let step_s = (hours * 3600).div_ceil(MAX_POINTS).max(MIN_STEP_S);
    let name = site.name.as_str();
    let sql = |dataset: &str| {
        format!(
            "SELECT intDiv(toUInt32(timestamp), {step_s}) * {step_s} AS at, blob1 AS series, SUM(_sample_interval * double1) AS total \
             FROM {dataset} WHERE blob2 = '{name}' AND (blob1 = 'events' OR blob1 = 'redis' AND blob3 = 'commands') \
             AND timestamp > NOW() - INTERVAL '{hours}' HOUR GROUP BY at, series ORDER BY at FORMAT JSON"
        )
    };
    let Some(answer) = app.runtime.ask_dataset(sql).await else {
        return Err(Problem::new(
            Code::NoDataset,
            "this deployment reads no dataset of metrics: set ANALYTICS_TOKEN and ANALYTICS_ACCOUNT",
        ));
    };
    let points = answer.and_then(|text| points_of(&text).ok_or_else(|| "the dataset answered what is no table".to_owned()));
    let points = points.map_err(|message| {
        let mut problem = Problem::new(Code::DatasetUnavailable, "the dataset of metrics did not answer").logged_as(message);
        problem.header(RETRY_AFTER, "10");
        problem
    })?;
    json(&Document { site: name, hours, step_s, points })
}

/// Rows of the same step, as one point.
fn points_of(answer: &str) -> Option<Vec<Point>> {
    let Answer { data } = serde_json::from_str(answer).ok()?;
    let mut points: Vec<Point> = Vec::new();
    for Row { at, series, total } in data {
        let (at_s, total) = (number(&at)?, u64::try_from(number(&total)?).ok()?);
        if points.last().is_none_or(|point| point.at_s != at_s) {
            points.push(Point { at: rfc3339(at_s * 1000, false), at_s, events: 0, commands: 0 });
        }
        let point = points.last_mut()?;
        *(if series == "events" { &mut point.events } else { &mut point.commands }) += total;
    }
    Some(points)
}

#[expect(clippy::cast_possible_truncation, reason = "counts and Unix seconds")]
fn number(value: &Value) -> Option<i64> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
    number.is_finite().then_some(number as i64)
}
