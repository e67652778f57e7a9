//! Paths and query parameters.

use http::Uri;
use interface::code::Code;
use interface::parameter::Parameter;
use percent_encoding::percent_decode_str;
use ranking::name::{Id, nearest};
use ranking::score::Score;

use super::problem::Problem;

/// A path segment or a parameter, percent-decoded.
pub fn decode(text: &str) -> Result<String, Problem> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| Problem::new(Code::InvalidEncoding, format!("{text:?} is not percent-encoded UTF-8")))
}

/// The query's parameters: those allowed, each at most once.
pub struct Query {
    parameters: Vec<(String, String)>,
}

impl Query {
    /// The parameters of an address, of those that a route takes.
    ///
    /// # Errors
    /// 400 for a parameter that the route does not take, or that comes twice.
    pub fn read(uri: &Uri, allowed: &[Parameter]) -> Result<Self, Problem> {
        let mut parameters: Vec<(String, String)> = Vec::new();
        for pair in uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(&name.replace('+', " "))?, decode(&value.replace('+', " "))?);
            if !allowed.iter().any(|parameter| parameter.name == name) {
                let allowed: Vec<&str> = allowed.iter().map(|parameter| parameter.name).collect();
                let meant = nearest(&name, allowed.iter().copied()).map_or_else(String::new, |name| format!("; did you mean {name}?"));
                let allowed = if allowed.is_empty() { "none".into() } else { allowed.join(", ") };
                return Err(Problem::new(Code::UnknownParameter, format!("{name:?} is not a parameter here; allowed: {allowed}{meant}")));
            }
            if parameters.iter().any(|(known, _)| *known == name) {
                return Err(Problem::new(Code::RepeatedParameter, format!("{name} is given twice")));
            }
            parameters.push((name, value));
        }
        Ok(Self { parameters })
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// `1` or `0`, or the default.
    ///
    /// # Errors
    /// 400 for another value.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Problem> {
        match self.text(name) {
            None => Ok(default),
            Some("1") => Ok(true),
            Some("0") => Ok(false),
            Some(text) => Err(Problem::new(Code::InvalidParameter, format!("{name} = {text:?} is not allowed; allowed: 0 or 1"))),
        }
    }

    /// An id, or what ids begin with.
    ///
    /// # Errors
    /// 400 for what is no id.
    pub fn id(&self, name: &str) -> Result<Option<Id>, Problem> {
        let read = |text| {
            let detail = || format!("{name} = {text:?} is not allowed; allowed: {}", Id::ALLOWED);
            Id::new(text).ok_or_else(|| Problem::new(Code::InvalidParameter, detail()))
        };
        self.text(name).map(read).transpose()
    }

    /// What something is called: text of up to a hundred characters, without those that no feed can have.
    ///
    /// # Errors
    /// 400 for a longer text, and for such characters.
    pub fn title(&self) -> Result<Option<&str>, Problem> {
        const MAX: usize = 100;
        let is_allowed = |text: &str| (1..=MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        let detail = || format!("title is not allowed; allowed: text of 1 to {MAX} characters, no control characters");
        match self.text("title") {
            Some(text) if !is_allowed(text) => Err(Problem::new(Code::InvalidParameter, detail())),
            title => Ok(title),
        }
    }

    /// A finite number with at most six decimals.
    ///
    /// # Errors
    /// 400 for what is no such number.
    pub fn score(&self, name: &str) -> Result<Option<Score>, Problem> {
        let read = |text: &str| {
            let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            let plain = decimals <= 6 && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
            let detail = || format!("{name} = {text:?} is not allowed; allowed: a number with at most six decimals");
            Score::parse(text).filter(|_| plain).ok_or_else(|| Problem::new(Code::InvalidParameter, detail()))
        };
        self.text(name).map(read).transpose()
    }

    /// A whole number in a range, or the default. `why` is added to a refusal.
    ///
    /// # Errors
    /// 400 for what is no such number.
    pub fn number(&self, name: &str, default: u32, min: u32, max: u32, why: &str) -> Result<u32, Problem> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let number = text.parse().ok().filter(|number| (min..=max).contains(number) && text.bytes().all(|byte| byte.is_ascii_digit()));
        number.ok_or_else(|| {
            let detail = format!("{name} = {text:?} is not allowed; allowed: a whole number from {min} to {max}{why}");
            Problem::new(Code::InvalidParameter, detail)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uri: &str) -> Result<Query, &'static str> {
        let parameter = |name| Parameter { name, required: false, schema: "", about: "" };
        let uri: Uri = uri.parse().expect("a URI");
        Query::read(&uri, &["limit", "item"].map(parameter)).map_err(|problem| problem.code().name())
    }

    #[test]
    fn parameters() {
        let query = read("/?limit=5&item=%2Fposts%2F1+x").expect("valid");
        assert_eq!(query.text("item"), Some("/posts/1 x"));
        assert_eq!(query.number("limit", 10, 1, 100, "").ok(), Some(5));
        assert_eq!(read("/").expect("valid").number("limit", 10, 1, 100, "").ok(), Some(10));
        for wrong in ["0", "101", "", "+5", "5.0", "-1", "99999999999"] {
            let query = read(&format!("/?limit={}", wrong.replace('+', "%2B"))).expect("valid");
            assert_eq!(query.number("limit", 10, 1, 100, "").map_err(|problem| problem.code().name()), Err("invalid-parameter"), "{wrong}");
        }
        assert_eq!(read("/?limit=5&limit=5").err(), Some("repeated-parameter"));
        assert_eq!(read("/?utm_source=x").err(), Some("unknown-parameter"));
        assert_eq!(read("/?item=%FF").err(), Some("invalid-encoding"));
    }
}
