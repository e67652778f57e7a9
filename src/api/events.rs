//! Events of the site's own servers: `POST /v1/{site}/events`.

use http::{Request, Response, StatusCode};
use serde::Serialize;

use super::json;
use super::problem::Problem;
use crate::app::count::{EventOutcome, Refusal};
use crate::app::{App, Runtime};
use crate::ranking::site::Site;
use crate::ranking::token::Tokens;

#[derive(Serialize)]
struct Counts {
    accepted: usize,
    duplicate: usize,
    rejected: Vec<Rejected>,
}

#[derive(Serialize)]
struct Rejected {
    /// Place in the request's list.
    index: usize,
    code: &'static str,
    detail: String,
}

/// 1. 400 or 413 for a body that is not a batch.
/// 2. 503 or 504 when Redis does not answer.
/// 3. 200 with what became of the events; each that can't be counted is reported and the rest are counted. 202 when a queue keeps
///    the rest, and they count later.
pub async fn post<R: Runtime>(
    app: &App<R>,
    site: &Site,
    tokens: &Tokens,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    let mut counts = Counts { accepted: 0, duplicate: 0, rejected: Vec::new() };
    let taken = app.count_events(site, tokens, request.body()).await?;
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
