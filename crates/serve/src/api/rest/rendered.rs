//! Rankings in other forms than JSON: `…/{window}.html`, `.svg`, `.rss` and `.csv`, `…/{window}/frame.html` and `…/members/{id}/badge.svg`.
//!
//! Each is made from the JSON of the same page, which the caches hold, so it costs Redis nothing of its own. Ids and titles are text of
//! strangers: each form escapes them, and none makes a link of one that could lead to another site.

mod badge;
mod csv;
mod frame;
mod html;
mod language;
mod look;
mod picture;
mod rss;
mod text;

pub use csv::quote;

use std::rc::Rc;

use http::{HeaderValue, Response, StatusCode, header};
use interface::code::Code;
use interface::route::Form;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ranking::page::Previous;
use ranking::site::Site;
use serde::{Deserialize, Deserializer};
use serde_json::Number;

use super::problem::Problem;
use super::top::{answer, page, period_ref};
use super::{Call, compose, uncached};
use crate::app::rankings::Read;
use crate::app::{App, Runtime};
use language::Language;
use look::{Look, STYLE_POLICY};

/// What is read of a ranking's JSON.
#[derive(Deserialize)]
struct Ranking {
    board: String,
    window: String,
    period: Period,
    complete: bool,
    generated_at: String,
    version: String,
    decimals: Option<u8>,
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Period {
    id: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    rank: u64,
    id: String,
    score: Number,
    #[serde(rename = "previous_rank", default = "unknown", deserialize_with = "given")]
    previous: Previous,
    /// What it was taken from, where that is not the ranking's window.
    window: Option<String>,
    details: Option<Details>,
}

/// What is shown of what is known of a member.
#[derive(Deserialize)]
struct Details {
    /// An item's.
    title: Option<String>,
    /// An actor's.
    name: Option<String>,
    url: Option<String>,
}

/// What is read of a member's JSON.
#[derive(Deserialize)]
struct Member {
    /// `None` while a past rolling ranking is being built.
    rank: Option<u64>,
    total: u64,
}

/// How a member's rank compares with the period before.
#[derive(Clone, Copy)]
enum Movement {
    Unknown,
    New,
    Up(u64),
    Down(u64),
    Same,
}

impl Movement {
    /// In styles.
    fn class(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::New => "new",
            Self::Up(_) => "up",
            Self::Down(_) => "down",
            Self::Same => "same",
        }
    }

    /// As the element shows it.
    fn sign(self) -> String {
        match self {
            Self::Unknown | Self::Same => String::new(),
            Self::New => "●".into(),
            Self::Up(by) => format!("▲ {by}"),
            Self::Down(by) => format!("▼ {by}"),
        }
    }

    /// For readers who hear it.
    fn label(self, language: &Language) -> String {
        match self {
            Self::Unknown | Self::Same => String::new(),
            Self::New => language.new.into(),
            Self::Up(by) => language.up(by),
            Self::Down(by) => language.down(by),
        }
    }
}

/// Where a member leads.
#[derive(Clone, Copy)]
enum Link<'e> {
    /// A whole address, which owners alone can give.
    Address(&'e str),
    /// A path of the site's own pages.
    Path(&'e str),
}

impl<'e> Link<'e> {
    /// For a page of the site.
    fn relative(self) -> &'e str {
        let (Self::Address(text) | Self::Path(text)) = self;
        text
    }
}

/// Text that is a path, so that it leads to the same site. `//` and `/\` begin the address of another one.
fn path(text: &str) -> Option<Link<'_>> {
    let rest = text.strip_prefix('/')?;
    (!rest.starts_with(['/', '\\'])).then_some(Link::Path(text))
}

impl Ranking {
    /// A member's part of the best score, in thousandths. Scores of another window are no part of this one's.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    fn share(&self, entry: &Entry) -> usize {
        let score = |entry: &Entry| entry.score.as_f64().unwrap_or_default();
        match self.entries.first() {
            Some(best) if score(best) > 0.0 && best.window == entry.window => {
                (score(entry) / score(best) * 1000.0).clamp(0.0, 1000.0).round() as usize
            }
            _ => 0,
        }
    }

    /// The text where it has no entries. One that is still being built may yet have some.
    fn empty(&self, language: &Language) -> &'static str {
        if self.complete { language.empty } else { "…" }
    }
}

impl Entry {
    fn movement(&self) -> Movement {
        match self.previous {
            Previous::Unknown => Movement::Unknown,
            Previous::New => Movement::New,
            Previous::Rank(before) if before > self.rank => Movement::Up(before - self.rank),
            Previous::Rank(before) if before < self.rank => Movement::Down(self.rank - before),
            Previous::Rank(_) => Movement::Same,
        }
    }

    /// The title or name, where one is known, else the id.
    fn name(&self) -> &str {
        let known = self.details.as_ref().and_then(|details| details.title.as_deref().or(details.name.as_deref()));
        known.unwrap_or(&self.id)
    }

    /// Where it leads: the address that owners gave it, else the id where it is a path.
    fn link(&self) -> Option<Link<'_>> {
        let known = self.details.as_ref().and_then(|details| details.url.as_deref());
        match known {
            Some(url) if url.starts_with("https://") || url.starts_with("http://") => Some(Link::Address(url)),
            Some(url) => path(url),
            None => path(&self.id),
        }
    }
}

/// What a list is called.
fn label(ranking: &Ranking, title: Option<&str>) -> String {
    title.map_or_else(|| format!("{} · {}", ranking.board, ranking.window), String::from)
}

/// Members of a list or a feed, which are for people. Each is written anew where no isolate keeps the answer.
const MAX_ROWS: u32 = 100;

/// The statuses are those of the ranking itself, and 400 for more than a list or a feed has.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, form: Form, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    if form != Form::Csv {
        call.query.number("limit", 1, 1, MAX_ROWS, " of a list or a feed")?;
    }
    let read = compose(app, page(site, call)?, call)?;
    let look = Look::read(&call.query)?;
    let title = look.title;
    let response = answer(app, site, read, call).await?;
    let address = call.request.uri().to_string();
    let origin = site.origins.first();
    let mut response = render(response, form.content_type(), |ranking: &Ranking| match form {
        Form::Html => html::write(ranking, title),
        Form::Frame => frame::write(ranking, &look, origin),
        Form::Picture => picture::write(ranking, &look),
        Form::Rss => rss::write(ranking, title, origin, &address),
        Form::Csv => csv::write(ranking),
    })?;
    match form {
        Form::Picture => set(&mut response, header::CONTENT_SECURITY_POLICY, &format!("{POLICY}; {STYLE_POLICY}; {SANDBOX}")),
        Form::Frame => set(&mut response, header::CONTENT_SECURITY_POLICY, &format!("{POLICY}; {STYLE_POLICY}; {SANDBOX} {LEADS}")),
        Form::Html | Form::Rss | Form::Csv => {}
    }
    // A table has no place for it but the name of its file.
    if let (Form::Csv, Some(title)) = (form, title) {
        let name = utf8_percent_encode(title, NON_ALPHANUMERIC);
        set(&mut response, header::CONTENT_DISPOSITION, &format!("inline; filename*=UTF-8''{name}.csv"));
    }
    Ok(response)
}

/// The statuses are those of the member, but a member that is not on the board has a badge as well: pages show no other picture
/// in its place.
pub async fn badge<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (of, id) = (period_ref(site, call)?, call.id()?);
    let board = Rc::clone(&of.board);
    let label = call.query.title()?.map_or_else(|| format!("{} · {}", board.name, of.window.name), String::from);
    match answer(app, site, Read::Member { of, id, around: 0 }, call).await {
        Ok(response) => render(response, badge::TYPE, |member: &Member| {
            let place = member.rank.map_or("not known yet".into(), |rank| format!("#{rank} of {}", member.total));
            badge::write(&label, &place)
        }),
        Err(problem) if problem.code() == Code::NotOnBoard => {
            let svg = badge::write(&label, "not ranked");
            let mut response = uncached(StatusCode::OK, badge::TYPE, svg.into_bytes());
            let kept_s = problem.kept_s(Some(&board)).unwrap_or_default();
            let headers = [
                (header::CACHE_CONTROL, format!("public, max-age={kept_s}")),
                (header::ETAG, "W/\"not-ranked\"".to_owned()),
                (super::top::CACHE_STATUS, "edgeboard; fwd=miss".to_owned()),
            ];
            for (name, value) in headers {
                set(&mut response, name, &value);
            }
            restrict(&mut response);
            Ok(response)
        }
        Err(problem) => Err(problem),
    }
}

/// The answer with its JSON in another form. What has no body stays so: the client knows it already.
fn render<T: for<'j> Deserialize<'j>>(
    mut response: Response<Vec<u8>>,
    content_type: &'static str,
    write: impl FnOnce(&T) -> String,
) -> Result<Response<Vec<u8>>, Problem> {
    if !response.body().is_empty() {
        let document = serde_json::from_slice(response.body()).map_err(|error| Problem::internal(error.to_string()))?;
        *response.body_mut() = write(&document).into_bytes();
    }
    set(&mut response, header::CONTENT_TYPE, content_type);
    restrict(&mut response);
    Ok(response)
}

const POLICY: &str = "default-src 'none'";
const SANDBOX: &str = "sandbox";
/// What a frame may do besides: a click leads the page around it to somewhere else.
const LEADS: &str = "allow-top-navigation-by-user-activation";

/// By itself it runs and loads nothing, whatever somebody's id may have become in it.
fn restrict(response: &mut Response<Vec<u8>>) {
    set(response, header::CONTENT_SECURITY_POLICY, &format!("{POLICY}; {SANDBOX}"));
}

fn set(response: &mut Response<Vec<u8>>, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// The rank before where the field is not there.
fn unknown() -> Previous {
    Previous::Unknown
}

/// The rank before where the field is there, `null` or not.
fn given<'j, D: Deserializer<'j>>(from: D) -> Result<Previous, D::Error> {
    Ok(Option::deserialize(from)?.map_or(Previous::New, Previous::Rank))
}

/// Text for HTML and XML, also between quotation marks. XML has no noncharacters, which ids may have.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            char => escaped.push(char),
        }
    }
    escaped
}
