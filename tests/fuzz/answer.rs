//! What every answer must be, whatever was asked.

use admin::api::{Code, Dispatch};
use http::{Method, Response, Uri};
use interface::route::{Endpoint, Route};
use serde_json::Value;
use serve::config::Config;

/// Statuses of an address that has no such route: what pages ask before, 400 for what is not encoded, 404 and 405.
const WITHOUT_ROUTE: [u16; 6] = [204, 400, 401, 403, 404, 405];
/// The longest text that a problem has for people, besides what it names of the address.
const MAX_DETAIL_BYTES: usize = 4_096;

/// Checks an answer of a configuration; says which route and code it is of.
pub fn check(config: &Config, method: &Method, uri: &Uri, response: &Response<Vec<u8>>) -> String {
    let route = Dispatch::of(method, uri, &config.beacon_path).route();
    let status = response.status().as_u16();
    let message = || format!("{method} {uri}: {status} {}", String::from_utf8_lossy(response.body()));
    let code = code(method, uri, response);
    match route {
        Some(route) => assert!(promises(route, status, code.as_deref()), "not an answer of {}: {}", route.path, message()),
        None => assert!(WITHOUT_ROUTE.contains(&status), "{}", message()),
    }
    let header = |name: &str| response.headers().get(name).map_or("", |value| value.to_str().expect("text"));
    assert!(!header("cache-control").is_empty(), "no Cache-Control: {}", message());
    assert_eq!(header("x-content-type-options"), "nosniff", "{}", message());
    if [429, 503, 504].contains(&status) {
        assert!(header("retry-after").parse::<u32>().is_ok_and(|wait_s| wait_s > 0), "no Retry-After: {}", message());
    }
    if method == Method::HEAD || status == 204 || status == 304 {
        assert!(response.body().is_empty(), "a body: {}", message());
    } else if header("content-type") == "application/json" {
        assert!(serde_json::from_slice::<Value>(response.body()).is_ok(), "not JSON: {}", message());
    }
    let known = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"].contains(&method.as_str());
    let method = if known { method.as_str() } else { "another method" };
    let place = format!("{method} {}", route.map_or("elsewhere", |route| route.path));
    format!("{place} {}", code.unwrap_or_else(|| status.to_string()))
}

/// Whether a route's table has the answer.
fn promises(route: &Route, status: u16, code: Option<&str>) -> bool {
    let answers = || route.answers.iter().any(|answer| answer.status == status);
    let problems = |code: &str| route.problems().any(|known| known.name() == code && known.status() == status);
    match code {
        // HEAD has no body that names it.
        None if status >= 400 => route.problems().any(|known| known.status() == status),
        None => answers(),
        Some(code) => problems(code) && (code != Code::Internal.name() || route.endpoint == Endpoint::Description),
    }
}

/// The code of a problem, which must be one as documented.
fn code(method: &Method, uri: &Uri, response: &Response<Vec<u8>>) -> Option<String> {
    let status = response.status().as_u16();
    if status < 400 || method == Method::HEAD {
        return None;
    }
    let message = String::from_utf8_lossy(response.body());
    let content_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    assert_eq!(content_type, Some("application/problem+json"), "{message}");
    let problem: Value = serde_json::from_slice(response.body()).unwrap_or_else(|error| panic!("{error}: {message}"));
    assert_eq!(problem["status"], status, "{message}");
    let detail = problem["detail"].as_str().expect("a detail");
    let named = uri.to_string().len();
    assert!(detail.len() <= MAX_DETAIL_BYTES + 2 * named, "{} bytes of detail: {message}", detail.len());
    assert!(!detail.contains("hidden detail"), "what Redis said is shown: {message}");
    assert!(problem["title"].is_string(), "{message}");
    Some(problem["code"].as_str().expect("a code").to_owned())
}
