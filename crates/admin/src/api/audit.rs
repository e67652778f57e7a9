//! The audit log: `GET /v1/{site}/admin/audit`.

use http::Response;
use interface::route::CF_CONNECTING_IP;
use ranking::page::rfc3339;
use ranking::site::Site;
use serde::Serialize;
use serde_json::{Map, Value};
use serve::api::{Call, Problem, json, text};
use serve::app::{App, Runtime};

use crate::app::Admin;
use crate::app::audit::Done;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    entries: Vec<EntryDocument>,
}

#[derive(Serialize)]
struct EntryDocument {
    at: Option<String>,
    #[serde(flatten)]
    what: Map<String, Value>,
}

/// 1. 400 for wrong parameters.
/// 2. 503 when Redis does not answer.
/// 3. 200 with what was done, the latest first.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let limit = call.query.number("limit", 100, 1, 1000, "")?;
    let done = Admin(app).audit().done(site, limit).await.map_err(Problem::redis)?;
    let entry = |Done { at_ms, what }| EntryDocument { at: rfc3339(at_ms, true), what: serde_json::from_str(&what).unwrap_or_default() };
    json(&Document { site: site.name.as_str(), entries: done.into_iter().map(entry).collect() })
}

/// Notes in the audit log what is about to be done, with where the request came from and who it says it is.
pub async fn note<R: Runtime>(call: &Call<'_>, app: &App<R>, site: &Site, what: Value) -> Result<(), Problem> {
    let mut entry = asker(call)?;
    if let Value::Object(what) = what {
        entry.extend(what);
    }
    Admin(app).audit().note(site, &Value::Object(entry)).await.map_err(Problem::redis)
}

/// Where the request came from and who it says it is, for the audit log.
pub fn asker(call: &Call<'_>) -> Result<Map<String, Value>, Problem> {
    let mut entry = Map::new();
    if let Some(by) = call.query.id("by")? {
        entry.insert("by".into(), by.as_str().into());
    }
    if let Some(address) = text(call.request, &CF_CONNECTING_IP) {
        entry.insert("address".into(), address.into());
    }
    Ok(entry)
}
