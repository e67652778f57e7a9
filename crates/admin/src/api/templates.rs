//! Boards of templates: `/v1/{site}/admin/boards/{board}`, `…/archive` behind it, and those of one: `/v1/{site}/admin/templates/{board}`.

use std::rc::Rc;

use chrono::DateTime;
use http::{Response, StatusCode};
use interface::code::Code;
use ranking::name::Name;
use ranking::page::rfc3339;
use ranking::site::Site;
use ranking::template::Template;
use serde::Serialize;
use serde_json::{Map, Value, json as value};
use serve::api::templates::going;
use serve::api::{Call, Problem, json};
use serve::app::counting::{EventCode, not_allowed};
use serve::app::templates::{ArchiveStep, BoardDetails, Known, Made, State, Stepped};
use serve::app::{App, Runtime};

use super::audit;
use super::revocation::read_body;
use crate::app::Admin;

const FIELDS: [&str; 3] = ["title", "starts_at", "ends_at"];
const MAX_TITLE: usize = 100;
const INSTANT: &str = "RFC 3339 since 1970 like \"2026-11-20T12:00:00Z\", or null";

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    #[serde(flatten)]
    board: BoardDocument,
}

#[derive(Serialize)]
struct ListDocument<'s> {
    site: &'s str,
    template: &'s str,
    /// Of all pages.
    total: u64,
    max_boards: u32,
    boards: Vec<BoardDocument>,
    /// The `cursor` of the next page; null on the last one.
    next: Option<String>,
}

#[derive(Serialize)]
struct BoardDocument {
    board: String,
    state: &'static str,
    title: Option<String>,
    made_at: Option<String>,
    starts_at: Option<String>,
    ends_at: Option<String>,
    /// Since when it is on its way to the archive or back, or there.
    #[serde(skip_serializing_if = "Option::is_none")]
    archive_since: Option<String>,
    /// When it began to be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    going_since: Option<String>,
}

/// 1. 404 for what is no template.
/// 2. 400 for wrong parameters.
/// 3. 503 when Redis does not answer.
/// 4. 200 with some boards.
pub async fn list<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let name = &call.path.board;
    let Some(template) = site.templates.get(name) else {
        let detail = format!("the site {} has no template {name:?}; it has {}", site.name, listed(site));
        return Err(Problem::new(Code::Event(EventCode::UnknownBoard), detail));
    };
    let limit = call.query.number("limit", 100, 1, 1000, "")?;
    let after = call.query.text("cursor").unwrap_or_default();
    let prefix = format!("{name}:");
    let is_place = after.is_empty() || after.starts_with(&prefix) && Name::of_board(after).is_some();
    if !is_place {
        return Err(Problem::new(Code::InvalidParameter, not_allowed("cursor", Some(&after.into()), "what the page before says as next")));
    }
    let found = app.templates().list_boards(site, &prefix, after, limit).await.map_err(Problem::redis)?;
    let is_full = found.boards.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = found.boards.last().filter(|_| is_full).map(|(name, _)| name.clone());
    json(&ListDocument {
        site: site.name.as_str(),
        template: name,
        total: found.total,
        max_boards: template.max_boards,
        boards: found.boards.into_iter().map(|(name, known)| document(name, known)).collect(),
        next,
    })
}

/// 1. 400 for what is no name of a board of a template.
/// 2. 503 when Redis does not answer.
/// 3. 404 where there is none; else 200.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (name, _) = named(site, call)?;
    let known = app.templates().find_board(site, &name).await.map_err(Problem::redis)?.ok_or_else(|| missing(site, &name))?;
    answer(site, &name, known)
}

/// 1. 400 for what is no name of a board of a template, or a wrong body.
/// 2. Note it in the audit log.
/// 3. 503 or 504 when Redis does not answer; 410 while it is being deleted; 409 or 429 where there is no room.
/// 4. 201 where it was not there before, else 200.
pub async fn put<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (name, template) = named(site, call)?;
    let body = call.request.body();
    let details = if body.is_empty() { BoardDetails::default() } else { read(&read_body(body)?)? };
    let noted = value!({ "did": "make-board", "board": name.as_str(), "title": details.title, "starts": details.starts_ms, "ends": details.ends_ms });
    audit::note(call, app, site, noted).await?;
    let (known, is_new) = make(app, site, (&template, &name), &details).await?;
    let mut response = answer(site, &name, known)?;
    if is_new {
        *response.status_mut() = StatusCode::CREATED;
    }
    Ok(response)
}

/// Makes a board that an export has, or replaces its details.
pub(super) async fn put_back<R: Runtime>(app: &App<R>, site: &Site, board: &str, details: &Map<String, Value>) -> Result<(), Problem> {
    let (name, template) = of_template(site, board)?;
    make(app, site, (&template, &name), &read(details)?).await.map(drop)
}

/// Answers also whether it was not there before.
async fn make<R: Runtime>(app: &App<R>, site: &Site, of: (&Template, &Name), details: &BoardDetails) -> Result<(Known, bool), Problem> {
    let (template, name) = of;
    match Admin(app).boards().make_board(site, template, name, details).await.map_err(Problem::redis)? {
        Made::There(known, is_new) => Ok((known, is_new)),
        Made::Going => Err(going(name)),
        Made::Full => {
            let detail = format!("the template {} has {} boards, as many as max_boards allows", template.board.name, template.max_boards);
            Err(Problem::new(Code::TooManyBoards, detail))
        }
        Made::OverQuota => {
            let boards = site.quota.boards.unwrap_or_default();
            Err(Problem::new(Code::Quota, format!("the site {} has as many boards as its quota allows: {boards}", site.name)))
        }
    }
}

/// 1. 400 for what is no name of a board of a template.
/// 2. Note it in the audit log.
/// 3. 503 or 504 when Redis does not answer; 404 where there is none.
/// 4. 202: it is being deleted.
pub async fn delete<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (name, _) = named(site, call)?;
    audit::note(call, app, site, value!({ "did": "end-board", "board": name.as_str() })).await?;
    let known = Admin(app).boards().end_board(site, &name).await.map_err(Problem::redis)?.ok_or_else(|| missing(site, &name))?;
    accepted(site, &name, known)
}

/// 1. 400 for what is no name of a board of a template; 409 where the template has no archive.
/// 2. Note it in the audit log.
/// 3. 503 or 504 when Redis does not answer; 404 where there is none; 409 while it has not ended, or is being opened; 410 while it is being deleted.
/// 4. 202: upkeep archives it.
pub async fn archive<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (name, template) = named(site, call)?;
    let refused = |why: &str| Problem::new(Code::NotArchivable, format!("the board {:?} {why}", name.as_str()));
    if !template.board.archive {
        return Err(refused(&format!("is not archived: the template {} has no archive = true", template.board.name)));
    }
    audit::note(call, app, site, value!({ "did": "archive-board", "board": name.as_str() })).await?;
    match Admin(app).boards().archive_board(site, &name, ArchiveStep::Archive).await.map_err(Problem::redis)? {
        Stepped::Done(known) => accepted(site, &name, known),
        Stepped::Refused(known) if known.state == State::Going => Err(going(&name)),
        Stepped::Refused(known) => Err(refused(&format!("is {}; allowed: one that is closed", known.state.name()))),
        Stepped::Missing => Err(missing(site, &name)),
    }
}

/// 1. 400 for what is no name of a board of a template.
/// 2. Note it in the audit log.
/// 3. 503 or 504 when Redis does not answer; 404 where there is none; 409 while it is being archived; 410 while it is being deleted.
/// 4. 202: upkeep opens it, if it is archived.
pub async fn open<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (name, _) = named(site, call)?;
    audit::note(call, app, site, value!({ "did": "open-board", "board": name.as_str() })).await?;
    match Admin(app).boards().archive_board(site, &name, ArchiveStep::Open).await.map_err(Problem::redis)? {
        Stepped::Done(known) => accepted(site, &name, known),
        Stepped::Refused(known) if known.state == State::Going => Err(going(&name)),
        Stepped::Refused(_) => {
            let detail = format!("the board {:?} is being archived; it can be opened some minutes later", name.as_str());
            Err(Problem::new(Code::BoardArchived, detail))
        }
        Stepped::Missing => Err(missing(site, &name)),
    }
}

/// The board of the path, and its template.
fn named(site: &Site, call: &Call<'_>) -> Result<(Name, Rc<Template>), Problem> {
    of_template(site, &call.path.board)
}

fn of_template(site: &Site, text: &str) -> Result<(Name, Rc<Template>), Problem> {
    let found = Name::of_board(text).and_then(|name| site.template_of(&name).map(Rc::clone).map(|template| (name, template)));
    found.ok_or_else(|| {
        let allowed =
            format!("a template, a colon and a name, like \"level:42\"; the site {} has the templates {}", site.name, listed(site));
        Problem::new(Code::InvalidBoard, not_allowed("board", Some(&text.into()), &allowed))
    })
}

fn listed(site: &Site) -> String {
    if site.templates.is_empty() { "none".into() } else { site.templates.list() }
}

fn missing(site: &Site, name: &Name) -> Problem {
    Problem::new(Code::Event(EventCode::UnknownBoard), format!("the site {} has no board {:?}", site.name, name.as_str()))
}

fn read(body: &Map<String, Value>) -> Result<BoardDetails, Problem> {
    let wrong = |field: &str, allowed: &str| Problem::new(Code::InvalidBoard, not_allowed(field, body.get(field), allowed));
    if let Some(unknown) = body.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(wrong(unknown, &format!("the fields {}", FIELDS.join(", "))));
    }
    let present = |field: &str| body.get(field).filter(|value| !value.is_null());
    let is_title = |text: &&str| (1..=MAX_TITLE).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    let title = match present("title") {
        None => String::new(),
        Some(title) => title
            .as_str()
            .filter(is_title)
            .ok_or_else(|| wrong("title", &format!("text of 1 to {MAX_TITLE} characters, no control characters")))?
            .into(),
    };
    let instant = |field: &str| match present(field) {
        None => Ok(0),
        Some(at) => {
            let at = at.as_str().and_then(|at| DateTime::parse_from_rfc3339(at).ok()).map(|at| at.timestamp_millis());
            at.filter(|at_ms| *at_ms > 0).ok_or_else(|| wrong(field, INSTANT))
        }
    };
    let (starts_ms, ends_ms) = (instant("starts_at")?, instant("ends_at")?);
    if ends_ms > 0 && ends_ms <= starts_ms {
        return Err(wrong("ends_at", "an instant after starts_at"));
    }
    Ok(BoardDetails { title, starts_ms, ends_ms })
}

/// It is going to be done.
fn accepted(site: &Site, name: &Name, known: Known) -> Result<Response<Vec<u8>>, Problem> {
    let mut response = answer(site, name, known)?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

fn answer(site: &Site, name: &Name, known: Known) -> Result<Response<Vec<u8>>, Problem> {
    json(&Document { site: site.name.as_str(), board: document(name.as_str().into(), known) })
}

fn document(board: String, known: Known) -> BoardDocument {
    let instant = |ms: u64| rfc3339(i64::try_from(ms).ok().filter(|ms| *ms > 0)?, true);
    BoardDocument {
        board,
        state: known.state.name(),
        title: Some(known.title).filter(|title| !title.is_empty()),
        made_at: instant(known.made_ms),
        starts_at: instant(known.starts_ms),
        ends_at: instant(known.ends_ms),
        archive_since: instant(known.archive_ms),
        going_since: instant(known.going_ms),
    }
}
