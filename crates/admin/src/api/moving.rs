//! All that a site of run time has: `GET /v1/admin/sites/{site}/export`, and the way back: `POST …/import`.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderValue, Response, StatusCode, header};
use interface::code::Code;
use interface::route::ExportForm;
use ranking::name::{Id, Name};
use ranking::site::Site;
use serde::Serialize;
use serde_json::{Map, Value, json as value};
use serve::api::sites::going;
use serve::api::{Call, Problem, json, uncached};
use serve::app::counting::{EventCode, not_allowed};
use serve::app::details::MAX_BULK;
use serve::app::sites::Serving;
use serve::app::{App, Runtime};

use super::sites::{missing, named};
use super::{At, Download, items, templates};
use crate::app::Admin;
use crate::app::corrections::curation::List;
use crate::app::corrections::removal::Whom;
use crate::app::items::{Kind, MAX_LINES};
use crate::app::moving::{FORMAT, Members, NotPut, Place};

/// Pieces of a response: each asks the database once at most, which a request may do a thousand times.
const PIECES: usize = 500;

/// An export of a site, from a place on.
#[derive(Clone, Debug)]
pub struct SiteDownload {
    site: String,
    place: Place,
}

/// What was put back.
#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    lines: usize,
    /// Periods that have members, and stay as they are.
    kept: Vec<Kept>,
}

#[derive(Serialize)]
struct Kept {
    board: String,
    unit: String,
    number: i64,
}

/// 1. 409 for a site of wrangler.toml; 400 for a wrong cursor.
/// 2. 503 when the database does not answer; 404 where there is none; 410 where it is being deleted; 500 where its configuration is refused.
/// 3. 200; the lines follow. What fails then breaks the connection, so that nobody takes a part for the whole.
pub async fn export<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let name = named(app, call)?;
    let cursor = call.query.text("cursor").unwrap_or_default();
    let place = read_cursor(cursor).ok_or_else(|| {
        Problem::new(Code::InvalidParameter, not_allowed("cursor", Some(&cursor.into()), "what a line of kind \"next\" says as cursor"))
    })?;
    let serving = served(app, &name).await?;
    if !serving.is_whole(app.runtime.clock_ms()) {
        return Err(going(&name));
    }
    let mut response = uncached(StatusCode::OK, ExportForm::Lines.content_type(), Vec::new());
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}.{}\"", ExportForm::Lines.ending())) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response.extensions_mut().insert(Download::Site(SiteDownload { site: name.to_string(), place }));
    Ok(response)
}

/// A site as the database has it now.
async fn served<R: Runtime>(app: &App<R>, name: &Name) -> Result<Serving, Problem> {
    let record = Admin(app).sites().get(name).await.map_err(Problem::database)?.ok_or_else(|| missing(name))?;
    let serving = app.sites().serving(record);
    match &serving.configured {
        Err(line) => Err(Problem::new(Code::ConfigurationInvalid, line.as_str())),
        Ok(_) => Ok(serving),
    }
}

fn read_cursor(cursor: &str) -> Option<Place> {
    if cursor.is_empty() {
        return Some(Place::default());
    }
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}

impl SiteDownload {
    /// The next piece of the body: a line for each thing, and then where to go on, or that this is all.
    ///
    /// # Errors
    /// For the log: why the rest cannot be had.
    pub(super) async fn next<R: Runtime>(&self, app: &App<R>, at: At) -> Result<Option<(Vec<u8>, At)>, String> {
        let (place, pieces) = match at {
            At::Begin => (self.place.clone(), 0),
            At::Site(place, pieces) if pieces < PIECES => (place, pieces),
            _ => return Ok(None),
        };
        // Nothing is deleted while some isolate may still believe what it read of the site.
        let found = app.sites().find(&self.site).await.map_err(|unknown| format!("{unknown:?}"))?;
        let serving = found.filter(|serving| serving.is_whole(app.runtime.clock_ms())).ok_or("the site is being deleted")?;
        let configured = serving.configured.as_ref().map_err(Clone::clone)?;
        let app = App { config: Rc::clone(&configured.config), ..app.clone() };
        let app = app.with_sections(&self.site).await.map_err(|failure| failure.detail)?;
        let site = app.config.sites.get(&self.site).ok_or("the site is not there")?;
        let piece = Admin(&app).moving().export(&serving, site, place).await?;
        let mut lines = piece.lines;
        let at = if let Some(place) = piece.next {
            let text = serde_json::to_vec(&place).map_err(|error| error.to_string())?;
            lines.push(value!({ "kind": "next", "cursor": URL_SAFE_NO_PAD.encode(text) }));
            At::Site(place, pieces + 1)
        } else {
            lines.push(value!({ "kind": "end" }));
            At::Site(Place::default(), PIECES)
        };
        let mut text = String::new();
        for line in lines {
            text += &line.to_string();
            text.push('\n');
        }
        Ok(Some((text.into_bytes(), at)))
    }
}

/// Puts lines of an export back, one after the other. A site that is suspended takes them as well.
///
/// 1. 409 for a site of wrangler.toml; 413 for too many bytes; 400 for too many lines, or what is no text.
/// 2. 503 when the database does not answer; 404 where there is none; 410 where it is being deleted; 500 where its configuration is refused.
/// 3. 400 for a line that is not allowed, and what boards and items are refused with: those before it are put back.
/// 4. 409 while another run writes the periods of a board. 503 or 504 when Redis or the database does not answer: the same may be sent again.
/// 5. 200 with the periods that stay as they are, since they have members.
pub async fn import<R: Runtime>(app: &App<R>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let name = named(app, call)?;
    let body = call.request.body();
    if body.len() > MAX_BULK {
        return Err(Problem::new(Code::Event(EventCode::BodyTooLarge), format!("a body has at most {MAX_BULK} bytes")));
    }
    let body = str::from_utf8(body).map_err(|_| Problem::new(Code::InvalidLine, "the body is not UTF-8"))?;
    let lines = body.lines().filter(|line| !line.trim().is_empty()).count();
    if lines > MAX_LINES {
        return Err(Problem::new(Code::InvalidLine, format!("the body has {lines} lines; allowed: {MAX_LINES}")));
    }
    let serving = served(app, &name).await?;
    let app = app.with_serving(&serving).ok_or_else(|| going(&name))?;
    let (mut kept, mut known) = (Vec::new(), None);
    let mut numbered = body.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    while let Some((i, text)) = numbered.next() {
        let wrong = |detail: String| Problem::new(Code::InvalidLine, format!("line {}: {detail}", i + 1));
        let line = read(text).map_err(wrong)?;
        let kind = kind_of(&line);
        if let Some(described) = [Kind::Item, Kind::Actor].into_iter().find(|described| described.noun() == kind) {
            let mut all = vec![without_kind(line)];
            while let Some((_, text)) = numbered.next_if(|(_, text)| read(text).is_ok_and(|line| kind_of(&line) == kind)) {
                all.extend(read(text).map(without_kind));
            }
            let site = app.config.sites.get(name.as_str()).ok_or_else(|| missing(&name))?;
            items::put_lines(&app, site, described, &all.join("\n"), i).await?;
            // Items open sections, which are boards.
            known = None;
            continue;
        }
        let with_sections = match known.take() {
            Some(with_sections) => with_sections,
            None => app.with_sections(name.as_str()).await.map_err(Problem::redis)?,
        };
        let site = with_sections.config.sites.get(name.as_str()).ok_or_else(|| missing(&name))?;
        let stays = put_line(&with_sections, site, &kind, line).await.map_err(|not| match not {
            Refused::Line(detail) => wrong(detail),
            Refused::Problem(problem) => problem,
        })?;
        kept.extend(stays);
        known = Some(with_sections);
    }
    if let Some(site) = app.config.sites.get(name.as_str()) {
        app.sites().enter_later(site);
    }
    json(&Document { site: name.as_str(), lines, kept })
}

/// Why a line is not put back.
enum Refused {
    Line(String),
    Problem(Problem),
}

impl From<NotPut> for Refused {
    fn from(not: NotPut) -> Self {
        match not {
            NotPut::Line(detail) => Self::Line(detail),
            NotPut::Busy => {
                Self::Problem(Problem::new(Code::Contended, "another run writes the periods of the board; send the same again"))
            }
            NotPut::Failed(failure) => Self::Problem(Problem::redis(failure)),
        }
    }
}

/// Puts a line back that is of no item or actor. Answers the period that stays as it is.
async fn put_line<R: Runtime>(app: &App<R>, site: &Site, kind: &str, line: Map<String, Value>) -> Result<Option<Kept>, Refused> {
    let board = line.get("board").and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind {
        "site" if line.get("format").and_then(Value::as_u64) != Some(FORMAT) => {
            return Err(Refused::Line(not_allowed("format", line.get("format"), &FORMAT.to_string())));
        }
        "site" | "next" | "end" => {}
        "board" => {
            let mut fields = line;
            fields.retain(|field, _| !matches!(field.as_str(), "kind" | "board"));
            templates::put_back(app, site, &board, &fields).await.map_err(Refused::Problem)?;
        }
        "hidden" => Admin(app).moving().put_list(site, &board, List::Hidden, &ids(&line, "ids")?).await?,
        "pinned" => Admin(app).moving().put_list(site, &board, List::Pinned, &ids(&line, "ids")?).await?,
        "removed" => {
            let members = ids(&line, "ids")?.into_iter().map(Whom::Member);
            let whom: Vec<Whom> = members.chain(ids(&line, "prefixes")?.into_iter().map(Whom::Prefix)).collect();
            Admin(app).moving().put_kept_off(site, &board, &whom).await?;
        }
        "members" => {
            let members: Members = serde_json::from_value(Value::Object(line)).map_err(|error| Refused::Line(error.to_string()))?;
            let stays = Kept { board, unit: members.unit.clone(), number: members.number };
            let is_put = Admin(app).moving().put_members(site, members).await?;
            return Ok((!is_put).then_some(stays));
        }
        _ => {
            let allowed = "site, item, actor, board, hidden, pinned, removed, members, next or end";
            return Err(Refused::Line(not_allowed("kind", line.get("kind"), allowed)));
        }
    }
    Ok(None)
}

fn read(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(text.as_bytes()) {
        Ok(Value::Object(line)) => Ok(line),
        Ok(_) => Err("it is not an object".into()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

fn kind_of(line: &Map<String, Value>) -> String {
    line.get("kind").and_then(Value::as_str).unwrap_or_default().into()
}

fn without_kind(mut line: Map<String, Value>) -> String {
    line.remove("kind");
    Value::Object(line).to_string()
}

fn ids(line: &Map<String, Value>, field: &str) -> Result<Vec<Id>, Refused> {
    let read = |ids: &Vec<Value>| ids.iter().map(|id| id.as_str().and_then(Id::kept)).collect::<Option<Vec<Id>>>();
    line.get(field)
        .and_then(Value::as_array)
        .and_then(read)
        .ok_or_else(|| Refused::Line(not_allowed(field, line.get(field), "a list of ids")))
}
