//! Sites that are made while the deployment runs: `/v1/admin/sites`.

use http::{Response, StatusCode};
use interface::code::Code;
use interface::route::SitesEndpoint;
use ranking::name::Name;
use ranking::page::rfc3339;
use serde::Serialize;
use serde_json::{Map, Value};
use serve::api::sites::going;
use serve::api::{Call, Problem, json, uncached};
use serve::app::counting::{EventCode, not_allowed};
use serve::app::quota::Used;
use serve::app::sites::record::{Deleted, Record};
use serve::app::sites::{Kind, State};
use serve::app::{App, RESERVED, Runtime};

use super::moving;
use super::revocation::read_body;
use crate::app::Admin;
use crate::app::sites::administration::{Issued, NotChanged};

/// A configuration has that many bytes at most: five variables of wrangler.toml.
const MAX_CONFIGURATION: usize = 25 * 1024;

#[derive(Serialize)]
struct ListDocument<'r> {
    /// Of all pages.
    total: i64,
    sites: Vec<SiteDocument<'r>>,
    /// The `cursor` of the next page; null on the last one.
    next: Option<&'r str>,
}

#[derive(Serialize)]
struct SiteDocument<'r> {
    site: &'r str,
    state: &'static str,
    version: i64,
    made_at: Option<String>,
    changed_at: Option<String>,
}

#[derive(Serialize)]
struct Document<'r> {
    #[serde(flatten)]
    site: SiteDocument<'r>,
    /// How many tokens and secrets of each kind are valid.
    valid: Map<String, Value>,
    configuration: Value,
    /// What it uses, of one that has a quota and that was asked for, while Redis answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<UsedDocument>,
    /// What was issued, of one that was made now.
    #[serde(skip_serializing_if = "Map::is_empty")]
    issued: Map<String, Value>,
    /// Why this version of the worker does not serve it.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// What is deleted, of one that is being deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<DeletedDocument>,
}

/// By the names of the options of the quota.
#[derive(Serialize)]
struct UsedDocument {
    boards: u64,
    members: u32,
    commands_per_month: u64,
    /// When the month ends.
    until: Option<String>,
}

#[derive(Serialize)]
struct DeletedDocument {
    since: Option<String>,
    keys: u64,
    objects: u64,
    rows: u64,
}

#[derive(Serialize)]
struct IssuedDocument<'r> {
    site: &'r str,
    kind: &'static str,
    valid: usize,
    issued: String,
}

/// 1. 404 where the deployment has no `SITES_SECRET`, or no database.
/// 2. What the endpoint answers.
pub async fn run<R: Runtime>(app: &App<R>, endpoint: SitesEndpoint, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    if Admin(app).sites().secret().is_none() {
        let detail = "this deployment has no SITES_SECRET, so no sites are made while it runs: make a random secret of at least 32 characters, \
                      and set it with wrangler secret put SITES_SECRET";
        return Err(Problem::new(Code::NoSitesSecret, detail));
    }
    if !app.tables().is_bound() {
        return Err(Problem::database(app.tables().no_database()));
    }
    match endpoint {
        SitesEndpoint::List => list(app, call).await,
        SitesEndpoint::Get => get(app, call).await,
        SitesEndpoint::Put => put(app, call).await,
        SitesEndpoint::End => end(app, call).await,
        SitesEndpoint::SetState => set_state(app, call).await,
        SitesEndpoint::Issue => issue(app, call).await,
        SitesEndpoint::EndOlder => end_older(app, call).await,
        SitesEndpoint::Export => moving::export(app, call).await,
        SitesEndpoint::Import => moving::import(app, call).await,
    }
}

/// 1. 400 for wrong parameters.
/// 2. 503 when the database does not answer.
/// 3. 200 with some sites.
async fn list<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let limit = call.query.number("limit", 100, 1, 1000, "")?;
    let after = call.query.text("cursor").unwrap_or_default();
    if !after.is_empty() && Name::new(after).is_none() {
        return Err(Problem::new(Code::InvalidParameter, not_allowed("cursor", Some(&after.into()), "what the page before says as next")));
    }
    let listed = Admin(app).sites().list(after, limit).await.map_err(Problem::database)?;
    let is_full = listed.records.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = listed.records.last().filter(|_| is_full).map(|record| record.name.as_str());
    json(&ListDocument { total: listed.total, sites: listed.records.iter().map(document).collect(), next })
}

/// 1. 409 for a site of wrangler.toml.
/// 2. 503 when the database does not answer; 404 where there is none.
/// 3. 200.
async fn get<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let name = named(app, call)?;
    let record = Admin(app).sites().get(&name).await.map_err(Problem::database)?.ok_or_else(|| missing(&name))?;
    let used = match Admin(app).sites().with_quota(&record) {
        Some(site) => app.admission().quotas.used(&site, &app.templates()).await.ok(),
        None => None,
    };
    json(&Document { used: used.map(UsedDocument::from), ..described(app, &record) })
}

/// 1. 400 for what is no name, and 409 for a site of wrangler.toml.
/// 2. 400 or 413 for a wrong body, and 400 for a configuration that is not allowed.
/// 3. 503 when the database does not answer: it may be made. 409 when others go on changing it.
/// 4. 201 with what was issued where it was not there before, else 200.
async fn put<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let name = named(app, call)?;
    let body = call.request.body();
    if body.len() > MAX_CONFIGURATION {
        let detail = format!("the configuration has {} bytes; allowed: {MAX_CONFIGURATION}", body.len());
        return Err(Problem::new(Code::Event(EventCode::BodyTooLarge), detail));
    }
    let configuration = read_body(body)?;
    let sites = Admin(app).sites();
    let secret = sites.secret().ok_or_else(|| Problem::internal("the secret is there no more".into()))?;
    let (record, issued) = sites.put(&name, &configuration, secret).await.map_err(|not| not_changed(&name, not))?;
    let mut response = answer(app, &record, &issued)?;
    if !issued.is_empty() {
        *response.status_mut() = StatusCode::CREATED;
    }
    Ok(response)
}

/// 1. 409 for a site of wrangler.toml.
/// 2. 503 when the database does not answer; 404 where there is none.
/// 3. 202: it is being deleted.
async fn end<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let name = named(app, call)?;
    let record = Admin(app).sites().end(&name).await.map_err(|not| not_changed(&name, not))?;
    let mut response = answer(app, &record, &Vec::new())?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

/// 1. 400 for another state than those that one can have it be in.
/// 2. 404 where there is none, 409 and 503 as above.
/// 3. 200.
async fn set_state<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let name = named(app, call)?;
    let body = read_body(call.request.body())?;
    let wrong = |field: &str, allowed: &str| Problem::new(Code::InvalidSite, not_allowed(field, body.get(field), allowed));
    if let Some(unknown) = body.keys().find(|field| *field != "state") {
        return Err(wrong(unknown, "the field state"));
    }
    let named_state = |text: &str| State::NAMES.into_iter().find(|(name, _)| *name == text).map(|(_, state)| state);
    let state = body.get("state").and_then(Value::as_str).and_then(named_state);
    let state = state.ok_or_else(|| wrong("state", &State::NAMES.map(|(name, _)| format!("{name:?}")).join(" or ")))?;
    let record = Admin(app).sites().set_state(&name, state).await.map_err(|not| not_changed(&name, not))?;
    answer(app, &record, &Vec::new())
}

/// 1. 400 for another kind than there is.
/// 2. 404 where there is no such site, 409 and 503 as above.
/// 3. 201: it is valid within a minute, and so is the older one.
async fn issue<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (name, kind) = (named(app, call)?, kind(call)?);
    let sites = Admin(app).sites();
    let secret = sites.secret().ok_or_else(|| Problem::internal("the secret is there no more".into()))?;
    let (record, issued) = sites.issue(&name, kind, secret).await.map_err(|not| not_changed(&name, not))?;
    let valid = record.tokens.count(kind);
    let mut response = json(&IssuedDocument { site: record.name.as_str(), kind: kind.name(), valid, issued })?;
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// 1. 400 for another kind than there is.
/// 2. 409 where there is one only, which stays.
/// 3. 404 where there is no such site, 409 and 503 as above.
/// 4. 204: it ends within a minute.
async fn end_older<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (name, kind) = (named(app, call)?, kind(call)?);
    Admin(app).sites().end_older(&name, kind).await.map_err(|not| match not {
        NotChanged::NothingToEnd => {
            let detail = format!("the site {name} has one of the kind {:?} only; issue another one first", kind.name());
            Problem::new(Code::NoOlderToken, detail)
        }
        not => not_changed(&name, not),
    })?;
    Ok(uncached(StatusCode::NO_CONTENT, "", Vec::new()))
}

/// The site of the path, which is none of wrangler.toml.
pub(super) fn named<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Name, Problem> {
    let text = &call.path.site;
    let name = Name::new(text).filter(|name| name.as_str() != RESERVED).ok_or_else(|| {
        let allowed = format!("{}, other than {RESERVED}", Name::ALLOWED);
        Problem::new(Code::InvalidSite, not_allowed("site", Some(&text.as_str().into()), &allowed))
    })?;
    if app.config.sites.get(name.as_str()).is_some() {
        return Err(Problem::new(Code::SiteConfigured, format!("the site {name} is one of wrangler.toml; a deployment changes it")));
    }
    Ok(name)
}

fn kind(call: &Call<'_>) -> Result<Kind, Problem> {
    let text = &call.path.kind;
    Kind::read(text).ok_or_else(|| {
        let allowed = Kind::EACH.map(Kind::name).join(", ");
        Problem::new(Code::InvalidSite, not_allowed("kind", Some(&text.as_str().into()), &allowed))
    })
}

pub(super) fn missing(name: &Name) -> Problem {
    Problem::new(Code::UnknownSite, format!("no site that was made at run time is called {:?}", name.as_str()))
}

fn not_changed(name: &Name, not: NotChanged) -> Problem {
    match not {
        NotChanged::Missing => missing(name),
        NotChanged::Refused(line) => Problem::new(Code::InvalidSite, line),
        NotChanged::Going => going(name),
        NotChanged::Contended => Problem::new(Code::Contended, format!("others went on changing the site {name}; nothing was written")),
        NotChanged::NothingToEnd => Problem::internal("nothing was to be ended".into()),
        NotChanged::Failed(error) => Problem::database(error),
    }
}

fn answer<R: Runtime>(app: &App<R>, record: &Record, issued: &Issued) -> Result<Response<Vec<u8>>, Problem> {
    let issued = issued.iter().map(|(kind, token)| (kind.name().to_owned(), token.as_str().into())).collect();
    json(&Document { issued, ..described(app, record) })
}

impl From<Used> for UsedDocument {
    fn from(Used { boards, members, commands, until_ms }: Used) -> Self {
        Self { boards, members, commands_per_month: commands, until: rfc3339(until_ms, false) }
    }
}

fn described<'r, R: Runtime>(app: &App<R>, record: &'r Record) -> Document<'r> {
    let configuration = serde_json::from_slice(record.configuration.as_bytes()).unwrap_or(Value::Null);
    let refused = Admin(app).sites().refusal(record);
    let valid = Kind::EACH.into_iter().map(|kind| (kind.name().to_owned(), record.tokens.count(kind).into())).collect();
    let Deleted { keys, objects, rows, .. } = record.deleted;
    let deleted = (record.state == State::Going).then(|| DeletedDocument { since: rfc3339(record.going_ms, true), keys, objects, rows });
    Document { site: document(record), valid, configuration, used: None, issued: Map::new(), refused, deleted }
}

fn document(record: &Record) -> SiteDocument<'_> {
    SiteDocument {
        site: record.name.as_str(),
        state: record.state.name(),
        version: record.version,
        made_at: rfc3339(record.made_ms, true),
        changed_at: rfc3339(record.changed_ms, true),
    }
}
