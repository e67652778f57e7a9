//! Events of the site's own servers: `POST /v1/{site}/events`.

use http::{Request, Response};
use serde::Serialize;

use super::batch::{self, Sender};
use super::{Problem, Tokens, check_token, json};
use crate::app::count::Verdict;
use crate::app::{App, Runtime};
use crate::ranking::event::Batch;
use crate::ranking::site::Site;
use crate::store::record::Outcome;

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

/// 1. 401 without the right token, and always where none is configured.
/// 2. 400 or 413 for a body that is not a batch.
/// 3. 503 or 504 when Redis does not answer.
/// 4. 200 with what became of the events; each that can't be counted is reported and the rest are counted.
pub async fn post<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    site: &Site,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    check_token("WRITE_TOKEN", tokens.write.as_deref(), request)?;
    let raw = batch::read(request)?;
    let mut events = Vec::new();
    // What is known of each event before it is counted: that it can't be.
    let mut wrong: Vec<Option<Problem>> = Vec::new();
    for event in &raw.events {
        match batch::read_event(site, &Sender::Server, event) {
            Ok(event) => {
                events.push(event);
                wrong.push(None);
            }
            Err(problem) => wrong.push(Some(problem)),
        }
    }
    let verdicts = app.count(site, &Batch { id: raw.id, events }).await.map_err(|not| Problem::redis(&not.error, not.applied))?;
    let (mut accepted, mut duplicate, mut rejected) = (0, 0, Vec::new());
    let mut verdicts = verdicts.into_iter();
    for (index, problem) in wrong.into_iter().enumerate() {
        if let Some(problem) = problem {
            rejected.push(Rejected { index, code: problem.code(), detail: problem.detail().into() });
            continue;
        }
        match verdicts.next() {
            Some(Verdict::Refused(outcome)) => rejected.push(refusal(index, outcome)),
            Some(Verdict::Duplicate) => duplicate += 1,
            Some(Verdict::Accepted) | None => accepted += 1,
        }
    }
    json(&Counts { accepted, duplicate, rejected })
}

fn refusal(index: usize, outcome: Outcome) -> Rejected {
    let (code, detail) = match outcome {
        Outcome::Future => ("at-in-future", "at is later than Redis's clock"),
        Outcome::TooOld => ("too-old", "no window keeps the period that it belongs to any more"),
        Outcome::DoneAlready => ("already-done", "the actor did this before, and it counts once"),
        Outcome::NotDone => ("not-done", "nothing to undo: the actor did not do this, or nobody remembers"),
        Outcome::UndoneAlready => ("already-undone", "nothing to undo: it was undone before"),
        Outcome::UndoneTooLate => ("undo-too-late", "it was done longer ago than the site's memory, or told a year late"),
        _ => ("board-full", "the member is new and every window has max_members already"),
    };
    Rejected { index, code, detail: detail.into() }
}
