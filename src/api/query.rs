//! Paths and query parameters.

use http::Request;
use percent_encoding::percent_decode_str;

use super::Problem;

/// A path segment or a parameter, percent-decoded.
pub fn decode(text: &str) -> Result<String, Problem> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| Problem::bad_request("invalid-encoding", format!("{text:?} is not percent-encoded UTF-8")))
}

/// The query's parameters: those allowed, each at most once.
pub struct Query {
    parameters: Vec<(String, String)>,
}

impl Query {
    pub fn read(request: &Request<Vec<u8>>, allowed: &[&str]) -> Result<Self, Problem> {
        let mut parameters: Vec<(String, String)> = Vec::new();
        for pair in request.uri().query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(&name.replace('+', " "))?, decode(&value.replace('+', " "))?);
            if !allowed.contains(&name.as_str()) {
                let allowed = if allowed.is_empty() { "none".into() } else { allowed.join(", ") };
                return Err(Problem::bad_request("unknown-parameter", format!("{name:?} is not a parameter here; allowed: {allowed}")));
            }
            if parameters.iter().any(|(known, _)| *known == name) {
                return Err(Problem::bad_request("repeated-parameter", format!("{name} is given twice")));
            }
            parameters.push((name, value));
        }
        Ok(Self { parameters })
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A whole number in a range, or the default.
    pub fn number(&self, name: &str, default: u32, least: u32, most: u32) -> Result<u32, Problem> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let number = text.parse().ok().filter(|number| (least..=most).contains(number) && text.bytes().all(|byte| byte.is_ascii_digit()));
        number.ok_or_else(|| {
            Problem::bad_request(
                "invalid-parameter",
                format!("{name} = {text:?} is not allowed; allowed: a whole number from {least} to {most}"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uri: &str) -> Result<Query, &'static str> {
        let request = Request::builder().uri(uri).body(Vec::new()).expect("a request");
        Query::read(&request, &["limit", "item"]).map_err(|problem| problem.code())
    }

    #[test]
    fn parameters() {
        let query = read("/?limit=5&item=%2Fposts%2F1+x").expect("valid");
        assert_eq!(query.text("item"), Some("/posts/1 x"));
        assert_eq!(query.number("limit", 10, 1, 100).ok(), Some(5));
        assert_eq!(read("/").expect("valid").number("limit", 10, 1, 100).ok(), Some(10));
        for wrong in ["0", "101", "", "+5", "5.0", "-1", "99999999999"] {
            let query = read(&format!("/?limit={}", wrong.replace('+', "%2B"))).expect("valid");
            assert_eq!(query.number("limit", 10, 1, 100).map_err(|problem| problem.code()), Err("invalid-parameter"), "{wrong}");
        }
        assert_eq!(read("/?limit=5&limit=5").err(), Some("repeated-parameter"));
        assert_eq!(read("/?utm_source=x").err(), Some("unknown-parameter"));
        assert_eq!(read("/?item=%FF").err(), Some("invalid-encoding"));
    }
}
