//! `GET /readyz`: Redis can count, and lost nothing that nobody has settled.

use http::Response;
use serde::Serialize;

use super::Problem;
use super::json;
use super::restore::LossDocument;
use crate::app::copies::SiteLoss;
use crate::app::{App, Runtime};

#[derive(Serialize)]
struct Document<'s> {
    /// `ready`, or the code of a loss.
    status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    losses: Vec<SiteLossDocument<'s>>,
    /// Where it is another one than `noeviction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    maxmemory_policy: Option<String>,
}

#[derive(Serialize)]
struct SiteLossDocument<'s> {
    site: &'s str,
    #[serde(flatten)]
    loss: LossDocument,
}

/// 1. 503 when Redis cannot count.
/// 2. 200: it can. `status` is `ready` where nothing was lost that nobody has settled.
pub async fn get<R: Runtime>(app: &App<R>) -> Result<Response<Vec<u8>>, Problem> {
    let ready = app.ready().await.map_err(Problem::redis)?;
    let losses = app.losses().await;
    let status = losses.first().map_or("ready", |first| first.loss.code.name());
    let losses =
        losses.iter().map(|SiteLoss { site, loss }| SiteLossDocument { site: site.as_str(), loss: LossDocument::of(*loss) }).collect();
    json(&Document { status, losses, maxmemory_policy: ready.evicts })
}
