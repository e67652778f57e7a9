//! The details of items and actors: `/v1/{site}/items[/{id}]` and `/v1/{site}/actors[/{id}]`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};
use interface::code::Code;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ranking::name::Id;
use ranking::page::rfc3339;
use ranking::site::Site;
use serde::Serialize;
use serde_json::{Map, Value, json as value};
use serve::api::{Call, Problem, is_known, json, text, uncached};
use serve::app::counting::{EventCode, MAX_BODY, Refusal};
use serve::app::details::MAX_BULK;
use serve::app::{App, Runtime};

use super::audit;
use crate::app::Admin;
use crate::app::items::{Allowance, Cursor, Described, Details, Expected, Kind, MAX_LINES, Patched, Unfinished, Written, take_id};

/// A deletion works for this long; upkeep ends what is left.
const WORK_MS: u64 = 20_000;
const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 100;

#[derive(Serialize)]
struct Document<'d> {
    site: &'d str,
    id: &'d Id,
    details: &'d Map<String, Value>,
    created_at: Option<String>,
    updated_at: Option<String>,
}

#[derive(Serialize)]
struct ListDocument<'d> {
    site: &'d str,
    items: Vec<Summary<'d>>,
    /// The `cursor` of the next page; null on the last one.
    next: Option<String>,
}

#[derive(Serialize)]
struct Summary<'d> {
    id: &'d Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'d Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'d Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'d Value>,
    updated_at: Option<String>,
}

#[derive(Serialize)]
struct BulkDocument {
    accepted: usize,
    changed: usize,
    rejected: Vec<RejectedLine>,
}

#[derive(Serialize)]
struct RejectedLine {
    line: usize,
    code: &'static str,
    detail: String,
}

/// 1. 404 without a database; 503 when it does not answer.
/// 2. 400 for wrong parameters.
/// 3. 200 with summaries, and with the `cursor` of the next page.
pub async fn list<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let limit = call.query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT, "")?;
    let from = call.query.text("cursor").map(|text| {
        let detail = format!("cursor = {text:?} is not allowed; allowed: `next` of the page before");
        read_cursor(text).ok_or_else(|| Problem::new(Code::InvalidParameter, detail))
    });
    let listed = Admin(app).items().list_described(&site.name, Kind::Item, from.transpose()?.as_ref(), limit).await;
    let (found, next) = listed.map_err(Problem::database)?;
    json(&ListDocument { site: site.name.as_str(), items: found.iter().map(summary).collect(), next: next.as_ref().map(write_cursor) })
}

/// 1. 404 without a database, or where nothing is known; 400 for what is no id; 503 when the database does not answer.
/// 2. 308 where the item became another one.
/// 3. 304 when the client has this revision already; else 200.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, kind: Kind, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let id = call.id()?;
    let found = Admin(app).items().described(&site.name, kind, &id).await.map_err(Problem::database)?;
    let Some(found) = found else {
        let known = if kind == Kind::Item { Admin(app).items().alias_of(&site.name, &id).await.map_err(Problem::database)? } else { None };
        let known = known.ok_or_else(|| not_described(kind, &id))?;
        let mut response = uncached(StatusCode::PERMANENT_REDIRECT, "", Vec::new());
        response.headers_mut().extend(location(site, &known.end));
        return Ok(response);
    };
    let mut response = show(site, &found, StatusCode::OK)?;
    if is_known(call.request, &tag(&found)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.body_mut().clear();
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// 1. 400 or 413 for a body that is not allowed; 404 without a database; 503 when it does not answer.
/// 2. 409 where the id is taken, or there is no room for one more section.
/// 3. 201.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let mut object = read_object(call.request)?;
    let id = take_id(&mut object).map_err(|detail| Problem::from(Refusal::new(EventCode::InvalidId, detail)))?;
    let details = read_details(Kind::Item, &object)?;
    let id = id.or_else(|| Id::new(&app.runtime.token())).ok_or_else(|| Problem::internal("the runtime has no random words".into()))?;
    open_section(app, site, Kind::Item, details.json()).await?;
    let written =
        Admin(app).items().describe(&site.name, Kind::Item, &id, &details, &Expected::Nothing).await.map_err(Problem::database)?;
    announce(app, site, Kind::Item, [&id]).await?;
    let (Written::Created(item) | Written::Replaced(item)) = written else {
        return Err(Problem::new(
            Code::AlreadyDescribed,
            format!("the item {:?} is described already; PUT or PATCH changes it", id.as_str()),
        ));
    };
    let mut response = show(site, &item, StatusCode::CREATED)?;
    response.headers_mut().extend(location(site, &item.id));
    Ok(response)
}

/// Where an item is described.
fn location(site: &Site, id: &Id) -> Option<(HeaderName, HeaderValue)> {
    let address = format!("/v1/{}/items/{}", site.name, utf8_percent_encode(id.as_str(), NON_ALPHANUMERIC));
    HeaderValue::from_str(&address).ok().map(|address| (header::LOCATION, address))
}

/// 1. 400 or 413 for an id or a body that is not allowed; 404 without a database; 503 when it does not answer.
/// 2. 409 where there is no room for one more section; 412 where something else is there than the headers expect.
/// 3. 201 when nothing was known before; else 200.
pub async fn put<R: Runtime>(app: &App<R>, site: &Site, kind: Kind, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (id, details) = (call.id()?, read_details(kind, &read_object(call.request)?)?);
    open_section(app, site, kind, details.json()).await?;
    let written = Admin(app).items().describe(&site.name, kind, &id, &details, &expected(call.request)).await.map_err(Problem::database)?;
    announce(app, site, kind, [&id]).await?;
    match written {
        Written::Created(described) => show(site, &described, StatusCode::CREATED),
        Written::Replaced(described) => show(site, &described, StatusCode::OK),
        Written::Unexpected => Err(unexpected(kind, &id)),
    }
}

/// 1. 400 or 413 for an id or a body that is not allowed; 503 when the database does not answer.
/// 2. 404 without a database, or where nothing is known.
/// 3. 412 where something else is there than the headers expect; 409 where others go on writing, or there is no room for one more section.
/// 4. 200.
pub async fn patch<R: Runtime>(app: &App<R>, site: &Site, kind: Kind, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (id, patch) = (call.id()?, read_object(call.request)?);
    open_section(app, site, kind, &patch).await?;
    match Admin(app).items().patch(&site.name, kind, &id, &patch, &expected(call.request)).await.map_err(Problem::database)? {
        Patched::Done(described) => {
            if kind == Kind::Item {
                Admin(app).items().file(site, &[&id]).await.map_err(unfinished)?;
            }
            show(site, &described, StatusCode::OK)
        }
        Patched::Missing => Err(not_described(kind, &id)),
        Patched::Unexpected => Err(unexpected(kind, &id)),
        Patched::Contended => {
            Err(Problem::new(Code::Contended, format!("others went on changing the {} {:?}; try again", kind.noun(), id.as_str())))
        }
        Patched::NotAllowed(detail) => Err(Problem::new(Code::InvalidDetails, detail)),
    }
}

/// 1. 400 for what is no id; 404 without a database; 503 when it does not answer.
/// 2. 412 where something else is there than the headers expect.
/// 3. 204: nothing is known of it and it is on no board, whether it was or not. 202 when something is left, which upkeep ends.
pub async fn delete<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let id = call.id()?;
    call.query.id("by")?;
    if !Admin(app).items().mark_taken_down(&site.name, &id, &expected(call.request)).await.map_err(Problem::database)? {
        return Err(unexpected(Kind::Item, &id));
    }
    let noted = audit::note(call, app, site, value!({ "did": "delete-item", "member": id.as_str() })).await;
    let is_done =
        noted.is_ok() && Admin(app).items().take_down(site, &id, (app.runtime.clock_ms() + WORK_MS, &Allowance::default())).await.is_ok();
    Ok(uncached(if is_done { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED }, "", Vec::new()))
}

/// Newline-delimited JSON.
///
/// 1. 413 for too many bytes, 400 for too many lines or what is no text.
/// 2. 404 without a database; 503 when it does not answer.
/// 3. 200 with counts, and with each line that was left out.
pub async fn put_all<R: Runtime>(app: &App<R>, site: &Site, kind: Kind, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let body = call.request.body();
    if body.len() > MAX_BULK {
        return Err(too_large(MAX_BULK));
    }
    let not_text = || Problem::new(Code::InvalidDetails, "the body is not UTF-8");
    let body = str::from_utf8(body).map_err(|_| not_text())?;
    let lines = body.lines().count();
    if lines > MAX_LINES {
        return Err(Problem::new(Code::InvalidDetails, format!("the body has {lines} lines; allowed: {MAX_LINES}")));
    }
    let bulk = Admin(app).items().describe_all(site, kind, body).await.map_err(unfinished)?;
    announce(app, site, kind, &bulk.accepted).await?;
    let code = Code::InvalidDetails.name();
    let rejected = bulk.rejected.into_iter().map(|refusal| RejectedLine { line: refusal.line, code, detail: refusal.detail }).collect();
    json(&BulkDocument { accepted: bulk.accepted.len(), changed: bulk.changed, rejected })
}

/// Lines of an export, of which `first` (from 0) is the first one. One that is left out is a failure: those that are allowed are in the database.
pub(super) async fn put_lines<R: Runtime>(app: &App<R>, site: &Site, kind: Kind, body: &str, first: usize) -> Result<(), Problem> {
    let bulk = Admin(app).items().describe_all(site, kind, body).await.map_err(unfinished)?;
    announce(app, site, kind, &bulk.accepted).await?;
    match bulk.rejected.first() {
        Some(refusal) => Err(Problem::new(Code::InvalidLine, format!("line {}: {}", first + refusal.line, refusal.detail))),
        None => Ok(()),
    }
}

/// Lets events count for items, on the boards that they belong to: again where they were deleted, and of browsers where the site asks for that. It is done whatever was there
/// before, so that who gets a 503 can send the request again.
async fn announce<'i, R: Runtime>(app: &App<R>, site: &Site, kind: Kind, items: impl IntoIterator<Item = &'i Id>) -> Result<(), Problem> {
    if kind == Kind::Actor {
        return Ok(());
    }
    let items: Vec<&Id> = items.into_iter().collect();
    Admin(app).items().file(site, &items).await.map_err(unfinished)?;
    match Admin(app).items().publish(site, &items, (app.runtime.clock_ms() + WORK_MS, &Allowance::default())).await {
        // Upkeep goes on with that.
        Ok(()) | Err(Unfinished::Remaining) => {}
        Err(why) => return Err(unfinished(why)),
    }
    app.catalog().announce(site, items.into_iter()).await.map_err(Problem::redis)
}

/// Makes a board for the section that an item will be in. What is no category is refused later.
async fn open_section<R: Runtime>(app: &App<R>, site: &Site, kind: Kind, details: &Map<String, Value>) -> Result<(), Problem> {
    let category: Map<String, Value> =
        details.get_key_value("category").map(|(name, value)| (name.clone(), value.clone())).into_iter().collect();
    let Ok(category) = Details::read(Kind::Item, &category) else { return Ok(()) };
    let category = category.get("category").and_then(Value::as_str).filter(|_| kind == Kind::Item);
    let opened = app.catalog().open_sections(site, category.into_iter()).await.map_err(Problem::redis)?;
    opened.map_err(|board| unfinished(Unfinished::NoSection(board)))
}

fn unfinished(why: Unfinished) -> Problem {
    match why {
        Unfinished::Database(error) => Problem::database(error),
        Unfinished::Redis(failure) => Problem::redis(failure),
        Unfinished::NoSection(_) => Problem::new(Code::TooManySections, why.detail()),
        Unfinished::Late | Unfinished::Remaining | Unfinished::Full(_) => Problem::internal("nothing is kept off by letting in".into()),
    }
}

fn show(site: &Site, described: &Described, status: StatusCode) -> Result<Response<Vec<u8>>, Problem> {
    let Described { id, details, created_at_ms, updated_at_ms, .. } = described;
    let [created_at, updated_at] = [created_at_ms, updated_at_ms].map(|ms| rfc3339(*ms, true));
    let mut response = json(&Document { site: site.name.as_str(), id, details: details.json(), created_at, updated_at })?;
    *response.status_mut() = status;
    response.headers_mut().extend(HeaderValue::from_str(&tag(described)).map(|tag| (header::ETAG, tag)));
    Ok(response)
}

fn summary(described: &Described) -> Summary<'_> {
    let [title, url, category] = ["title", "url", "category"].map(|name| described.details.get(name));
    Summary { id: &described.id, title, url, category, updated_at: rfc3339(described.updated_at_ms, true) }
}

fn tag(described: &Described) -> String {
    format!("\"{}\"", described.revision)
}

fn not_described(kind: Kind, id: &Id) -> Problem {
    Problem::new(Code::NotDescribed, format!("nothing is known of the {} {:?}", kind.noun(), id.as_str()))
}

fn unexpected(kind: Kind, id: &Id) -> Problem {
    let detail = format!("the {} {:?} is not as the request expects; read it again", kind.noun(), id.as_str());
    Problem::new(Code::PreconditionFailed, detail)
}

fn too_large(max: usize) -> Problem {
    Refusal::new(EventCode::BodyTooLarge, format!("a body has at most {max} bytes")).into()
}

pub(super) fn read_object(request: &Request<Vec<u8>>) -> Result<Map<String, Value>, Problem> {
    if request.body().len() > MAX_BODY {
        return Err(too_large(MAX_BODY));
    }
    let invalid = |detail: String| Problem::from(Refusal::new(EventCode::InvalidJson, detail));
    match serde_json::from_slice(request.body()) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(invalid("the body is not an object".into())),
        Err(error) => Err(invalid(format!("the body is not JSON: {error}"))),
    }
}

fn read_details(kind: Kind, object: &Map<String, Value>) -> Result<Details, Problem> {
    Details::read(kind, object).map_err(|detail| Problem::new(Code::InvalidDetails, detail))
}

/// `If-Match` comes first, as RFC 9110 has it. Of `If-None-Match` only `*` means something for a write.
fn expected(request: &Request<Vec<u8>>) -> Expected {
    let tags = |name: &HeaderName| -> Option<Vec<String>> {
        let tags = text(request, name)?.split(',').map(str::trim);
        Some(tags.map(|tag| tag.trim_matches('"').to_owned()).collect())
    };
    match (tags(&header::IF_MATCH), tags(&header::IF_NONE_MATCH)) {
        (Some(known), _) if known == ["*"] => Expected::Something,
        (Some(known), _) => Expected::Revisions(known),
        (None, Some(known)) if known == ["*"] => Expected::Nothing,
        (None, _) => Expected::Any,
    }
}

/// A word that only [`read_cursor`] understands.
fn write_cursor(cursor: &Cursor) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}:{}", cursor.updated_at_ms, cursor.id.as_str()))
}

fn read_cursor(text: &str) -> Option<Cursor> {
    let decoded = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
    let (at, id) = decoded.split_once(':')?;
    let updated_at_ms = at.parse().ok().filter(|ms| (0..1 << 53).contains(ms))?;
    Some(Cursor { updated_at_ms, id: Id::kept(id)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors() {
        let cursor = Cursor { updated_at_ms: 1_795_176_000_123, id: Id::new("a:/é").expect("an id") };
        assert_eq!(read_cursor(&write_cursor(&cursor)), Some(cursor));
        for wrong in ["", "x", "MTI", "LTE6YQ", "OTAwNzE5OTI1NDc0MDk5Mjph"] {
            assert_eq!(read_cursor(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_a_write_expects() {
        let expected = |name: &str, value: &str| expected(&Request::put("/").header(name, value).body(Vec::new()).expect("a request"));
        assert_eq!(expected("accept", "*"), Expected::Any);
        assert_eq!(expected("if-match", "*"), Expected::Something);
        assert_eq!(expected("if-match", "\"a\", \"b\""), Expected::Revisions(vec!["a".into(), "b".into()]));
        // A weak tag is never the same, by RFC 9110.
        assert_eq!(expected("if-match", "W/\"a\""), Expected::Revisions(vec!["W/\"a".into()]));
        assert_eq!(expected("if-none-match", "*"), Expected::Nothing);
        assert_eq!(expected("if-none-match", "\"a\""), Expected::Any);
    }
}
