//! The actions of the actor of a token: `POST /v1/{site}/mine`.

use http::{Response, header};
use interface::code::Code;
use ranking::actor_token::TokenFault;
use ranking::name::{Id, Name};
use ranking::site::Site;
use ranking::token::Tokens;
use serde::Serialize;
use serde_json::{Map, Value};
use serve::api::{Call, Problem, json};
use serve::app::counting::{EventCode, MAX_BODY, Refusal, not_allowed};
use serve::app::{App, Runtime, price};

use super::activity;
use crate::app::Admin;

/// Items that are asked for at once, at most.
const MAX_ITEMS: usize = 100;
const FIELDS: [&str; 7] = ["token", "action", "items", "days", "details", "limit", "after"];

#[derive(Serialize)]
struct Document<'a> {
    site: &'a str,
    actor: &'a Id,
    action: &'a str,
    /// Those of the items on which the action stands.
    done: Vec<&'a Id>,
}

/// `{ "token", "action", "items": [ … ] }` asks on which items the actor's action stands. Without `items` the answer is the
/// actor's activity, as servers read it: `days`, or with `"details": true` `limit` and `after`. The token stands in the body, so that
/// it is in no log of addresses.
///
/// 1. 400 or 413 for a wrong body; 401 for a token that names nobody.
/// 2. 400 for an action that cannot be undone, since only those are remembered; 404 where the site keeps no activity log.
/// 3. 429 for who had too much asked.
/// 4. 503 when Redis does not answer.
/// 5. 200.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let body = read_body(call.request.body())?;
    let token = body.get("token").and_then(Value::as_str).unwrap_or_default();
    let actor = tokens.actor(&site.name, token, app.runtime.clock_ms() / 1000).map_err(|fault| {
        let why = match fault {
            TokenFault::Expired => "the token has expired",
            TokenFault::Invalid => "token is not one that the site's server signed",
        };
        let mut problem = Problem::new(Code::InvalidToken, why);
        problem.header(header::WWW_AUTHENTICATE, "Bearer");
        problem
    })?;
    let Some(items) = body.get("items").filter(|items| !items.is_null()) else { return activity_of(app, site, &actor, &body).await };
    let (action, items) = (read_action(site, &body)?, read_items(items)?);
    app.admission().take_misses(site, price::of_stands(site)).await?;
    let stands = Admin(app).actors().stands(site, &actor, action, &items).await.map_err(Problem::redis)?;
    let done = items.iter().zip(stands).filter_map(|(item, stands)| stands.then_some(item)).collect();
    json(&Document { site: site.name.as_str(), actor: &actor, action: action.as_str(), done })
}

fn read_body(body: &[u8]) -> Result<Map<String, Value>, Problem> {
    if body.len() > MAX_BODY {
        return Err(Refusal::new(EventCode::BodyTooLarge, format!("a body has at most {MAX_BODY} bytes")).into());
    }
    let invalid = |detail: String| Refusal::new(EventCode::InvalidJson, detail);
    let json: Value = serde_json::from_slice(body).map_err(|error| invalid(format!("the body is not JSON: {error}")))?;
    let Value::Object(object) = json else { return Err(invalid("the body is not an object".into()).into()) };
    match object.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        None => Ok(object),
        Some(name) => {
            let shown: String = name.chars().take(80).collect();
            let detail = format!("{shown:?} is not a field here; allowed: {}", FIELDS.join(", "));
            Err(Refusal::new(EventCode::UnknownField, detail).into())
        }
    }
}

fn read_action<'s>(site: &'s Site, body: &Map<String, Value>) -> Result<&'s Name, Problem> {
    let given = body.get("action");
    let reversible = || site.actions.iter().filter(|(_, action)| action.reversible).map(|(name, _)| name);
    reversible().find(|name| given.is_some_and(|given| given == name.as_str())).ok_or_else(|| {
        let names: Vec<&str> = reversible().map(Name::as_str).collect();
        let allowed = if names.is_empty() { "none; the site has no reversible action".into() } else { names.join(", ") };
        Problem::new(Code::Event(EventCode::InvalidAction), not_allowed("action", given, &allowed))
    })
}

fn read_items(items: &Value) -> Result<Vec<Id>, Problem> {
    let list = items.as_array().filter(|list| (1..=MAX_ITEMS).contains(&list.len()));
    let invalid = || Problem::new(Code::InvalidIds, not_allowed("items", Some(items), &format!("a list of 1 to {MAX_ITEMS} ids")));
    let read = |(i, id): (usize, &Value)| {
        let invalid = || Refusal::of_field(EventCode::InvalidId, &format!("items[{i}]"), Some(id), Id::ALLOWED).into();
        id.as_str().and_then(Id::new).ok_or_else(invalid)
    };
    list.ok_or_else(invalid)?.iter().enumerate().map(read).collect()
}

async fn activity_of<R: Runtime>(app: &App<R>, site: &Site, actor: &Id, body: &Map<String, Value>) -> Result<Response<Vec<u8>>, Problem> {
    let wrong = |name: &str, allowed: &str| Problem::new(Code::InvalidParameter, not_allowed(name, body.get(name), allowed));
    let number = |name: &str, default: u32, max: u32| match body.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| (1..=max).contains(number));
            number.ok_or_else(|| wrong(name, &format!("a whole number from 1 to {max}")))
        }
    };
    match body.get("details") {
        None | Some(Value::Null | Value::Bool(false)) => {
            let max = activity::max_days(site);
            let days = number("days", activity::DEFAULT_DAYS.min(max), max)?;
            app.admission().take_misses(site, price::of_days(days)).await?;
            activity::days(app, site, actor, days).await
        }
        Some(Value::Bool(true)) => {
            let after = match body.get("after") {
                None | Some(Value::Null) => "",
                Some(after) => after.as_str().ok_or_else(|| wrong("after", "what `next` said, as text"))?,
            };
            let limit = number("limit", activity::DEFAULT_LIMIT, activity::MAX_LIMIT)?;
            app.admission().take_misses(site, price::of_entries(site)).await?;
            activity::details(app, site, actor, after, limit).await
        }
        Some(_) => Err(wrong("details", "true or false")),
    }
}
