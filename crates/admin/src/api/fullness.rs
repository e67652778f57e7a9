//! How full boards are: `GET /v1/{site}/admin/boards`, and a part of what upkeep answers.

use std::rc::Rc;

use http::Response;
use ranking::site::Site;
use serde::Serialize;
use serve::api::{Problem, json};
use serve::app::rankings::fullness::Fullness;
use serve::app::{App, Runtime};

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    boards: Vec<Fullness>,
}

/// 1. 503 when Redis does not answer.
/// 2. 200 with every window that has a bound of its own.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>) -> Result<Response<Vec<u8>>, Problem> {
    json(&Document { site: site.name.as_str(), boards: app.rankings().fullness(site).await? })
}
