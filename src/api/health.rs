//! `GET /healthz`: the worker runs. `GET /readyz`: Redis can count.

use http::Response;
use serde_json::json;

use super::json;
use super::problem::Problem;
use crate::app::{App, Runtime};

pub fn alive() -> Result<Response<Vec<u8>>, Problem> {
    json(&json!({ "status": "ok" }))
}

pub async fn ready<R: Runtime>(app: &App<R>) -> Result<Response<Vec<u8>>, Problem> {
    app.ready().await.map_err(Problem::redis)?;
    json(&json!({ "status": "ready" }))
}
