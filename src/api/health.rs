//! `GET /healthz`: the worker runs. `GET /readyz`: Redis answers it.

use http::{Request, Response};
use serde_json::json;

use super::query::Query;
use super::{Problem, json};
use crate::adapter::Applied;
use crate::app::{App, Runtime};
use crate::store;

pub fn alive(request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    Query::read(request, &[])?;
    json(&json!({ "status": "ok" }))
}

pub async fn ready<R: Runtime>(app: &App<R>, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    Query::read(request, &[])?;
    let answered = match app.runtime.transport() {
        Ok(transport) => store::ping(&transport).await,
        Err(error) => Err(error),
    };
    answered.map_err(|error| Problem::redis(&error, Applied::No))?;
    json(&json!({ "status": "ready" }))
}
