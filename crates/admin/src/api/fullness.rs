//! How full boards are: `GET /v1/{site}/admin/boards`, and a part of what upkeep answers.

use std::rc::Rc;

use http::Response;
use ranking::site::Site;
use serde::Serialize;
use serve::api::{Problem, json};
use serve::app::rankings::fullness::{AllFullness, Fullness};
use serve::app::{App, Runtime};

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    boards: Vec<Fullness>,
    /// Boards that do not answer, since their node of a cluster is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unavailable: Vec<String>,
}

/// 1. 503 when Redis does not answer.
/// 2. 200 with every window that has a bound of its own, of the boards that answer.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>) -> Result<Response<Vec<u8>>, Problem> {
    let AllFullness { boards, unavailable } = app.rankings().fullness(site).await?;
    json(&Document { site: site.name.as_str(), boards, unavailable })
}
