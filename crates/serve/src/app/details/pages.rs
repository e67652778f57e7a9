//! The pages of items, of which their details may be read.

use ranking::name::{Id, Name};
use ranking::site::Site;

use crate::app::database::{Argument, NOW, Statement};

/// Wants pages to be read, now.
pub fn want_pages(site: &Name, ids: &[&Id]) -> Statement {
    let sql = format!("INSERT OR IGNORE INTO page_reads (site, id, tries, due_at) SELECT ?1, value, 0, {NOW} FROM json_each(?2)");
    Statement::new(sql, vec![site.as_str().into(), Argument::list_of(ids)])
}

/// The address of an item's page: its id is one of the site's origins, or a path of the first one. None with a query: strangers choose ids, and a
/// query may ask a server for anything.
pub fn page_of(site: &Site, id: &Id) -> Option<String> {
    let id = id.as_str();
    if id.contains('?') {
        return None;
    }
    if id.starts_with('/') && !id.starts_with("//") {
        return site.origins.first().map(|origin| format!("{origin}{id}"));
    }
    is_page(site, id).then(|| id.to_owned())
}

/// Whether an address is a page of one of the site's origins.
pub fn is_page(site: &Site, url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https")) else { return false };
    let host = rest.split(['/', '?', '#', '\\', '@']).next().unwrap_or_default();
    rest[host.len()..].chars().next().is_none_or(|next| next != '@' && next != '\\') && site.origins.allow(&format!("{scheme}://{host}"))
}
