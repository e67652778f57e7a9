//! How a list for a page without scripts looks: its language, its colours, its width.

use interface::code::Code;

use super::Entry;
use super::text::is_right_to_left;
use crate::api::problem::Problem;
use crate::api::query::Query;

/// Pixels.
const WIDTH: u32 = 400;
const MIN_WIDTH: u32 = 240;
const MAX_WIDTH: u32 = 1000;

/// What is not written from the left, where it is written in its usual script.
const RIGHT_TO_LEFT: [&str; 12] = ["ar", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "ug", "ur", "yi"];

/// The style of both forms, and who may use it: that of the Content-Security-Policy, by its digest.
pub const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/list.css"));
pub const STYLE_POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/list-policy.txt"));

/// What an address says of it.
pub struct Look<'q> {
    pub title: Option<&'q str>,
    lang: Option<&'q str>,
    /// `auto`, `light` or `dark`, which are also classes of the style.
    pub theme: &'static str,
    pub width: u32,
}

impl<'q> Look<'q> {
    pub fn read(query: &'q Query) -> Result<Self, Problem> {
        Ok(Self {
            title: query.title()?,
            lang: lang(query)?,
            theme: theme(query)?,
            width: query.number("width", WIDTH, MIN_WIDTH, MAX_WIDTH, "")?,
        })
    }

    /// Of the texts besides names.
    pub fn lang(&self) -> &str {
        self.lang.unwrap_or("en")
    }

    /// Where rows begin: as the language says; without one as most names are written.
    pub fn is_right_to_left(&self, entries: &[Entry]) -> bool {
        let Some(lang) = self.lang else {
            return entries.iter().filter(|entry| is_right_to_left(entry.name())).count() * 2 > entries.len();
        };
        let (language, rest) = lang.split_once('-').unwrap_or((lang, ""));
        let is_latin = rest.split('-').any(|part| part.eq_ignore_ascii_case("latn"));
        !is_latin && RIGHT_TO_LEFT.iter().any(|known| known.eq_ignore_ascii_case(language))
    }
}

/// A language tag of RFC 5646, or what looks like one.
fn lang(query: &Query) -> Result<Option<&str>, Problem> {
    const MAX: usize = 35;
    let is_part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_tag = |text: &str| text.len() <= MAX && text.split('-').all(is_part);
    match query.text("lang") {
        Some(text) if !is_tag(text) => {
            let detail = format!("lang = {text:?} is not allowed; allowed: a language, such as en or pt-BR");
            Err(Problem::new(Code::InvalidParameter, detail))
        }
        lang => Ok(lang),
    }
}

fn theme(query: &Query) -> Result<&'static str, Problem> {
    let Some(text) = query.text("theme") else { return Ok("auto") };
    let known = ["auto", "light", "dark"].into_iter().find(|known| *known == text);
    known.ok_or_else(|| Problem::new(Code::InvalidParameter, format!("theme = {text:?} is not allowed; allowed: auto, light or dark")))
}
