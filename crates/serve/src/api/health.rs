//! `GET /healthz`: the worker runs, and which one it is.

use http::Response;
use serde_json::json;

use super::json;
use super::problem::Problem;
use crate::app::{App, Runtime};

pub fn alive<R: Runtime>(app: &App<R>) -> Result<Response<Vec<u8>>, Problem> {
    json(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "commit": app.runtime.commit() }))
}
