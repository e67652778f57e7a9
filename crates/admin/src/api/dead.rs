//! Messages of the queue that could not be counted: `/v1/{site}/admin/dead`.

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::page::rfc3339;
use ranking::site::Site;
use ranking::token::{Right, Tokens};
use serde::Serialize;
use serde_json::{Map, Value, json as value};
use serve::api::{Call, Problem, bearer, json, uncached};
use serve::app::counting::not_allowed;
use serve::app::{App, Runtime};

use super::audit;
use super::revocation::read_body;
use crate::app::Admin;
use crate::app::deliveries::dead::{DeadLetter, MAX_SEQ, Replay, Which};

/// A request replays for this long; the answer tells whether more is left.
const WORK_MS: u64 = 20_000;
const FIELDS: [&str; 4] = ["ids", "all", "seq", "dry_run"];
/// Letters that a request names, at most.
const MAX_IDS: usize = 100;
const IDS: &str = "a list of 1 to 100 ids of letters, or all = true";
const SEQ: &str = "a whole number from 1 to 9007199254740991";
const PLACE: &str = "the id of a letter, as the list tells it";

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    letters: Vec<LetterDocument>,
    /// The `after` of the next page; null on the last one.
    next: Option<String>,
}

#[derive(Serialize)]
struct LetterDocument {
    id: String,
    code: String,
    detail: String,
    sent_at: Option<String>,
    died_at: Option<String>,
    /// As text where it is not JSON.
    message: Value,
}

#[derive(Serialize)]
struct ReplayDocument<'s> {
    site: &'s str,
    dry_run: bool,
    /// Whether nothing is left.
    done: bool,
    counted: u64,
    dead: Vec<LetterDocument>,
    /// For the next request, where events got a `seq`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_seq: Option<u64>,
}

/// 1. 400 for wrong parameters.
/// 2. 401 for letters of unknown sites, without the token of all sites.
/// 3. 503 when Redis does not answer.
/// 4. 200 with some letters, the oldest first.
pub async fn list<R: Runtime>(app: &App<R>, site: &Site, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let home = home(site, tokens, call)?;
    let limit = call.query.number("limit", 100, 1, 100, "")?;
    let after = call.query.text("after").unwrap_or_default();
    if !after.is_empty() && !is_place(after) {
        return Err(Problem::new(Code::InvalidParameter, not_allowed("after", Some(&after.into()), "what the page before says as next")));
    }
    let found = Admin(app).deliveries().dead(home, after, limit).await.map_err(Problem::redis)?;
    let is_full = found.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = found.last().filter(|_| is_full).map(|last| last.place.clone());
    json(&Document { site: site.name.as_str(), letters: found.into_iter().map(document).collect(), next })
}

/// 1. 400 or 413 for a wrong body; 401 as for the list.
/// 2. 503 or 504 when Redis does not answer; some of it may be done.
/// 3. 200 with what became of the letters; 202 when time ran out, to be asked for again.
pub async fn replay<R: Runtime>(app: &App<R>, site: &Site, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let home = home(site, tokens, call)?;
    let body = read_body(call.request.body())?;
    let replay = read(&body)?;
    let is_dry = replay.is_dry;
    if !is_dry {
        note(app, site, call, "replay-dead", home, &replay.which).await?;
    }
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let replayed = Admin(app).deliveries().replay(tokens, home, replay, until_ms).await.map_err(Problem::redis)?;
    let mut response = json(&ReplayDocument {
        site: site.name.as_str(),
        dry_run: is_dry,
        done: replayed.is_done,
        counted: replayed.counted,
        dead: replayed.dead.into_iter().map(document).collect(),
        next_seq: replayed.next_seq,
    })?;
    if !replayed.is_done {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// One letter, or all of them.
///
/// 1. 400 for what is no id of a letter; 401 as for the list.
/// 2. 503 or 504 when Redis does not answer.
/// 3. 204: it is not there, whether it was or not.
pub async fn delete<R: Runtime>(app: &App<R>, site: &Site, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let home = home(site, tokens, call)?;
    let place = &call.path.id;
    let which = match place.as_str() {
        "" => Which::All,
        place if is_place(place) => Which::At(vec![place.into()]),
        place => return Err(Problem::new(Code::InvalidParameter, not_allowed("id", Some(&place.into()), PLACE))),
    };
    note(app, site, call, "delete-dead", home, &which).await?;
    Admin(app).deliveries().throw_away(home, &which).await.map_err(Problem::redis)?;
    Ok(uncached(StatusCode::NO_CONTENT, "", Vec::new()))
}

/// Whose letters: the site's, or with `unknown=1` those of sites that are not known, which are nobody's but who has the token of all.
fn home<'s>(site: &'s Site, tokens: &Tokens, call: &Call<'_>) -> Result<Option<&'s Site>, Problem> {
    if !call.query.flag("unknown", false)? {
        return Ok(Some(site));
    }
    let given = bearer(call.request).unwrap_or_default();
    if !tokens.allow_all(Right::Admin, given) {
        return Err(Problem::new(Code::Unauthorized, "letters of unknown sites need the ADMIN_TOKEN of all sites"));
    }
    Ok(None)
}

fn read(body: &Map<String, Value>) -> Result<Replay, Problem> {
    let wrong = |field: &str, allowed: &str| Problem::new(Code::InvalidReplay, not_allowed(field, body.get(field), allowed));
    if let Some(unknown) = body.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(wrong(unknown, &format!("the fields {}", FIELDS.join(", "))));
    }
    let flag = |name: &str| match body.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| wrong(name, "true or false")),
    };
    let which = match (body.get("ids").filter(|ids| !ids.is_null()), flag("all")?) {
        (None, true) => Which::All,
        (Some(Value::Array(ids)), false) if (1..=MAX_IDS).contains(&ids.len()) => {
            let place = |id: &Value| id.as_str().filter(|id| is_place(id)).map(String::from);
            Which::At(ids.iter().map(place).collect::<Option<_>>().ok_or_else(|| wrong("ids", IDS))?)
        }
        _ => return Err(wrong("ids", IDS)),
    };
    let seq = match body.get("seq").filter(|seq| !seq.is_null()) {
        None => None,
        Some(seq) => Some(seq.as_u64().filter(|seq| (1..=MAX_SEQ).contains(seq)).ok_or_else(|| wrong("seq", SEQ))?),
    };
    Ok(Replay { which, is_dry: flag("dry_run")?, seq })
}

/// Whether it is the id of an entry of a stream.
fn is_place(text: &str) -> bool {
    let is_number = |part: &str| (1..=20).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-').is_some_and(|(ms, number)| is_number(ms) && is_number(number))
}

async fn note<R: Runtime>(
    app: &App<R>,
    site: &Site,
    call: &Call<'_>,
    did: &str,
    home: Option<&Site>,
    which: &Which,
) -> Result<(), Problem> {
    let mut what = value!({ "did": did });
    if home.is_none() {
        what["unknown"] = true.into();
    }
    match which {
        Which::All => what["all"] = true.into(),
        Which::Failed => what["failed"] = true.into(),
        Which::At(places) => what["ids"] = places.clone().into(),
    }
    audit::note(call, app, site, what).await
}

fn document(dead_letter: DeadLetter) -> LetterDocument {
    let DeadLetter { place, letter } = dead_letter;
    let ms = |ms: Option<i64>| rfc3339(ms?, true);
    LetterDocument {
        code: letter.code,
        detail: letter.detail,
        sent_at: ms(letter.sent_ms.try_into().ok()),
        died_at: ms(place.split_once('-').and_then(|(ms, _)| ms.parse().ok())),
        message: serde_json::from_str(&letter.message).unwrap_or(Value::String(letter.message)),
        id: place,
    }
}
