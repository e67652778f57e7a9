//! `GET /healthz`: the worker runs.

use http::Response;
use serde_json::json;

use super::json;
use super::problem::Problem;

pub fn alive() -> Result<Response<Vec<u8>>, Problem> {
    json(&json!({ "status": "ok" }))
}
