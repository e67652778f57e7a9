//! `GET /readyz`: Redis can count.

use http::Response;
use serde_json::json;

use super::Problem;
use super::json;
use crate::app::{App, Runtime};

pub async fn get<R: Runtime>(app: &App<R>) -> Result<Response<Vec<u8>>, Problem> {
    app.ready().await.map_err(Problem::redis)?;
    json(&json!({ "status": "ready" }))
}
