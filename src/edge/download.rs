//! Bodies that are written piece by piece, as long as somebody reads them.

use futures_util::stream::unfold;
use serde_json::json;
use worker::{ResponseBody, web_sys};

use super::runtime::EdgeRuntime;
use super::{init_of, parsed};
use crate::api::Download;
use crate::app::App;
use crate::app::archive::Export;

/// How far a download is.
enum At {
    Begin,
    Members(Box<Export>),
    Over,
}

/// The response with its body. What fails breaks the connection.
pub fn respond(app: App<EdgeRuntime>, download: Download, response: &http::Response<Vec<u8>>) -> worker::Result<web_sys::Response> {
    let pieces = unfold((app, download, At::Begin), async |(app, download, at)| {
        let next = match at {
            At::Over => return None,
            At::Begin => download.begin(&app).await.map(|export| (download.head().into(), At::Members(Box::new(export)))),
            At::Members(mut export) => match app.archive_reads().next_exported(&mut export).await {
                Ok(None) => return None,
                Ok(Some(members)) => Ok((download.lines(&members), At::Members(export))),
                Err(error) => Err(error),
            },
        };
        let (piece, at) = match next {
            Ok((piece, at)) => (Ok::<Vec<u8>, worker::Error>(piece), at),
            Err(detail) => {
                worker::console_error!("{}", json!({ "level": "error", "code": "export", "detail": detail }));
                (Err(detail.into()), At::Over)
            }
        };
        Some((piece, (app, download, at)))
    });
    let body = worker::Response::from_stream(pieces)?;
    let ResponseBody::Stream(body) = body.body() else { return Err("a stream is a stream".into()) };
    Ok(web_sys::Response::new_with_opt_readable_stream_and_init(Some(body), &parsed(&init_of(response)?)?)?)
}
