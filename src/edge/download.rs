//! Bodies that are written piece by piece, as long as somebody reads them.

use admin::api::{At, Download};
use futures_util::stream::unfold;
use serde_json::json;
use serve::app::App;
use worker::{ResponseBody, web_sys};

use super::runtime::EdgeRuntime;
use super::{init_of, parsed};

/// The response with its body. What fails breaks the connection.
pub fn respond(app: App<EdgeRuntime>, download: Download, response: &http::Response<Vec<u8>>) -> worker::Result<web_sys::Response> {
    let pieces = unfold((app, download, Some(At::default())), async |(app, download, at)| {
        let (piece, at) = match download.next(&app, at?).await {
            Ok(next) => next.map(|(piece, at)| (Ok::<Vec<u8>, worker::Error>(piece), Some(at)))?,
            Err(detail) => {
                worker::console_error!("{}", json!({ "level": "error", "code": "export", "detail": detail }));
                (Err(detail.into()), None)
            }
        };
        Some((piece, (app, download, at)))
    });
    let body = worker::Response::from_stream(pieces)?;
    let ResponseBody::Stream(body) = body.body() else { return Err("a stream is a stream".into()) };
    Ok(web_sys::Response::new_with_opt_readable_stream_and_init(Some(body), &parsed(&init_of(response)?)?)?)
}
