//! Taking back counted events, by actor, visitor or item: `POST /v1/{site}/admin/revoke`.

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::name::Id;
use ranking::page::rfc3339;
use ranking::site::Site;
use ranking::token::Tokens;
use ranking::visitor::Fingerprint;
use serde::Serialize;
use serde_json::{Map, Value, json as value};
use serve::api::{Call, Problem, json};
use serve::app::counting::{EventCode, MAX_BODY, Refusal, not_allowed};
use serve::app::{App, Runtime};

use super::audit;
use crate::app::Admin;
use crate::app::corrections::revocation::{Culprit, Revocation};

/// A request takes back for this long; the answer tells whether more is left.
const WORK_MS: u64 = 20_000;
const FIELDS: [&str; 6] = ["actor", "visitor", "item", "from", "until", "dry_run"];
const CULPRIT: &str = "one of actor, visitor and item, each an id but visitor, an object with address and agent";
const INSTANT: &str = "RFC 3339 since 1970 like \"2026-11-20T12:00:00Z\", from before until";

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    dry_run: bool,
    /// Whether nothing is left.
    done: bool,
    /// Where the same goes on.
    cursor: Option<&'s str>,
    /// Events, once for each board and for the activity log.
    events: u64,
    /// Some of the members.
    members: Vec<Id>,
    /// Everything that was recorded since is in the journal.
    journal_since: Option<String>,
    /// Boards that keep one value of each member, which does not tell what it replaced.
    left_out: Vec<&'s str>,
}

/// 1. 400 or 413 for a wrong body; 404 where the site keeps no journal.
/// 2. 503 or 504 when Redis does not answer; some of it may be done.
/// 3. 200 when all is taken back; 202 when time ran out or boards are left, to be asked for again with the cursor.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let body = read_body(call.request.body())?;
    let revocation = read(tokens, site, &body)?;
    if site.journal_s == 0 {
        return Err(Problem::new(Code::NoJournal, format!("the site {} keeps no journal; journal = \"8d\" makes it", site.name)));
    }
    if !revocation.is_dry {
        let mut what = value!({ "did": "revoke", "from": body.get("from"), "until": body.get("until") });
        // Addresses of visitors are kept nowhere.
        for (name, culprit) in body.iter().filter(|(name, _)| ["actor", "item"].contains(&name.as_str())) {
            what[name.as_str()] = culprit.clone();
        }
        if let Culprit::Visitor(_) = revocation.culprit {
            what["visitor"] = true.into();
        }
        audit::note(call, app, site, what).await?;
    }
    let revoked = Admin(app).corrections().revoke(site, &revocation, app.runtime.clock_ms() + WORK_MS).await.map_err(Problem::redis)?;
    if !revocation.is_dry {
        app.templates().enter_archived(site).await;
    }
    let cursor = call.cursor(revoked.is_done);
    let is_done = revoked.is_done && cursor.is_none();
    let mut response = json(&Document {
        site: site.name.as_str(),
        dry_run: revocation.is_dry,
        done: is_done,
        cursor,
        events: revoked.events,
        members: revoked.members,
        journal_since: revoked.reaches_ms.and_then(|ms| rfc3339(ms, true)),
        left_out: site.boards.values().filter(|board| board.values.is_some()).map(|board| board.name.as_str()).collect(),
    })?;
    if !is_done {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

pub(super) fn read_body(body: &[u8]) -> Result<Map<String, Value>, Problem> {
    if body.len() > MAX_BODY {
        return Err(Refusal::new(EventCode::BodyTooLarge, format!("a body has at most {MAX_BODY} bytes")).into());
    }
    let json: Value =
        serde_json::from_slice(body).map_err(|error| Refusal::new(EventCode::InvalidJson, format!("the body is not JSON: {error}")))?;
    match json {
        Value::Object(object) => Ok(object),
        _ => Err(Refusal::new(EventCode::InvalidJson, "the body is not an object").into()),
    }
}

fn read(tokens: &Tokens, site: &Site, body: &Map<String, Value>) -> Result<Revocation, Problem> {
    let wrong = |field: &str, allowed: &str| Problem::new(Code::InvalidRevocation, not_allowed(field, body.get(field), allowed));
    if let Some(unknown) = body.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(wrong(unknown, &format!("the fields {}", FIELDS.join(", "))));
    }
    let named: Vec<&str> = FIELDS[..3].iter().copied().filter(|name| body.get(*name).is_some_and(|value| !value.is_null())).collect();
    let [named] = named[..] else { return Err(wrong(named.get(1).unwrap_or(&"actor"), CULPRIT)) };
    let id = || body[named].as_str().and_then(Id::new).ok_or_else(|| wrong(named, Id::ALLOWED));
    let culprit = match named {
        "actor" => Culprit::Actor(id()?),
        "item" => Culprit::Item(id()?),
        _ => Culprit::Visitor(visitor(tokens, site, &body[named]).ok_or_else(|| wrong(named, CULPRIT))?),
    };
    let instant = |name: &str, default: i64| match body.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => {
            let read = value.as_str().and_then(|text| chrono::DateTime::parse_from_rfc3339(text).ok());
            read.map(|at| at.timestamp_millis()).filter(|ms| *ms >= 0).ok_or_else(|| wrong(name, INSTANT))
        }
    };
    let (from_ms, until_ms) = (instant("from", 0)?, instant("until", 1 << 53)?);
    if from_ms >= until_ms {
        return Err(wrong("until", INSTANT));
    }
    let is_dry = match body.get("dry_run") {
        None | Some(Value::Null) => false,
        Some(value) => value.as_bool().ok_or_else(|| wrong("dry_run", "true or false"))?,
    };
    Ok(Revocation { culprit, known_as: Vec::new(), from_ms, until_ms, is_dry })
}

/// `None` also where the deployment has no `VISITOR_SECRET`: then visitors are not told apart.
fn visitor(tokens: &Tokens, site: &Site, visitor: &Value) -> Option<Fingerprint> {
    let visitor = visitor.as_object().filter(|visitor| visitor.keys().all(|name| name == "address" || name == "agent"))?;
    let agent = visitor.get("agent").filter(|agent| !agent.is_null()).map_or(Some(""), Value::as_str)?;
    tokens.visitors.as_ref()?.fingerprint(&site.name, visitor.get("address")?.as_str()?, agent)
}
