//! `GET /readyz`: Redis can count.

use http::Response;
use serde_json::json;

use super::Problem;
use super::json;
use crate::app::{App, Runtime};

pub async fn get<R: Runtime>(app: &App<R>) -> Result<Response<Vec<u8>>, Problem> {
    let ready = app.ready().await.map_err(Problem::redis)?;
    json(&match ready.evicts {
        Some(policy) => json!({ "status": "ready", "maxmemory_policy": policy }),
        None => json!({ "status": "ready" }),
    })
}
