//! Problems: RFC 9457 documents with a stable `code`.

use http::header::{self, HeaderName};
use http::{HeaderValue, Response, StatusCode};
use serde::Serialize;

use super::uncached;
use crate::adapter::{Applied, Error};

/// Why a request was not done.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    /// Stable; kebab-case.
    code: &'static str,
    /// For people: names what was wrong and what is allowed.
    detail: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    logged: Option<String>,
}

/// A response extension: what to log about a 5xx, and not to tell the client.
#[derive(Clone, Debug)]
pub struct Logged {
    pub code: &'static str,
    pub detail: String,
}

#[derive(Serialize)]
struct Document<'p> {
    title: &'static str,
    status: u16,
    code: &'static str,
    detail: &'p str,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), headers: Vec::new(), logged: None }
    }

    pub fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    pub fn configuration(mistake: String) -> Self {
        let logged = Some(mistake.clone());
        Self { logged, ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, "configuration-invalid", mistake) }
    }

    pub fn internal(logged: String) -> Self {
        Self {
            logged: Some(logged),
            ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "something went wrong here; it was logged")
        }
    }

    /// Redis did not do it. 503 when nothing was written, 504 when that cannot be known.
    pub fn redis(error: &Error, applied: Applied) -> Self {
        let mut problem = if applied == Applied::No {
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "redis-unavailable", "Redis did not answer; nothing was written; try again")
        } else {
            Self::new(
                StatusCode::GATEWAY_TIMEOUT,
                "outcome-unknown",
                "Redis did not say whether everything was written; send the same again, with the same id it counts once",
            )
        };
        problem.header(header::RETRY_AFTER, "1");
        problem.logged = Some(error.to_string());
        problem
    }

    pub fn header(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
    }

    pub fn code(&self) -> &'static str {
        self.code
    }

    pub fn detail(&self) -> &str {
        &self.detail
    }

    pub fn into_response(self) -> Response<Vec<u8>> {
        let document = Document {
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            code: self.code,
            detail: &self.detail,
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut response = uncached(self.status, "application/problem+json", body);
        response.headers_mut().extend(self.headers);
        if let Some(detail) = self.logged {
            response.extensions_mut().insert(Logged { code: self.code, detail });
        }
        response
    }
}
