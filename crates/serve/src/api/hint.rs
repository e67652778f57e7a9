//! The probable meaning of an address that does not exist.

use http::Uri;
use interface::ROUTES;

use super::dispatch::is_part;
use super::problem::Problem;
use super::query::decode;
use super::{Dispatch, find_board, find_site};
use crate::app::Config;

/// Why there is no route.
///
/// 1. 404 for the address of a board, with its windows, or why there is no such board.
/// 2. 404 for any other address, and for an id with a slash how that is written.
/// 3. 405 where other methods are.
pub fn missing(config: &Config, dispatch: &mut Dispatch, uri: &Uri) -> Problem {
    let hint = if dispatch.routes.is_empty() { of_board(config, uri).or_else(|| of_slash(uri)) } else { None };
    dispatch.missing(uri, &hint.unwrap_or_default())
}

/// `/v1/demo/boards/articles`, to which a window belongs.
fn of_board(config: &Config, uri: &Uri) -> Option<String> {
    let path = uri.path();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let ["v1", site, "boards", board] = segments[..] else { return None };
    let reported = || {
        let site = find_site(config, &decode(site)?)?;
        let board = find_board(&site, &decode(board)?)?;
        let windows: Vec<&str> = board.windows.iter().map(|window| window.name.as_str()).collect();
        Ok(format!("a ranking of the board is at {path}/WINDOW, and its windows are {}", windows.join(", ")))
    };
    let reported = reported().unwrap_or_else(|problem: Problem| problem.detail().to_owned());
    (!board.is_empty()).then(|| format!("; {reported}"))
}

/// Longer addresses are not repeated, three times as long.
const MAX_REPORTED: usize = 1_024;

/// `/v1/demo/items//posts/1`, whose id is `/posts/1`. Of several addresses that it may be meant as, the one that says the most.
fn of_slash(uri: &Uri) -> Option<String> {
    if uri.path().len() > MAX_REPORTED {
        return None;
    }
    let segments: Vec<&str> = uri.path().split('/').skip(1).collect();
    let meant = ROUTES.iter().filter_map(|route| {
        let pattern: Vec<&str> = route.path.split('/').skip(1).collect();
        let at = pattern.iter().position(|part| *part == "{id}")?;
        let after = pattern.len() - at - 1;
        let end = segments.len().checked_sub(after).filter(|end| *end > at + 1)?;
        let is_meant = |pattern: &[&str], segments: &[&str]| pattern.iter().zip(segments).all(|(part, segment)| is_part(part, segment));
        let is_meant = is_meant(&pattern[..at], &segments[..at]) && is_meant(&pattern[at + 1..], &segments[end..]);
        is_meant.then_some((at, end))
    });
    let (at, end) = meant.max_by_key(|(at, end)| (*at, segments.len() - end))?;
    let mut address = segments[..at].to_vec();
    let id = segments[at..end].join("%2F");
    address.push(&id);
    address.extend(&segments[end..]);
    Some(format!("; a slash in an id is written %2F: /{}", address.join("/")))
}
