//! Items that nobody described are described by their own pages, where the site asks for it: those that are shown somewhere with details,
//! a few in each scheduled run. What somebody wrote is never replaced.
//!
//! Pages are read for items that are shown, not for items that are clicked. Rendering knows anyway which items have no details,
//! so Redis is asked for nothing, and made-up items have no page read. The table `page_reads` is the list of what to do.

use ranking::name::Id;
use ranking::site::Site;
use serde_json::json;
use serve::app::database::{DatabaseError, Row};
use serve::app::details::pages::{is_page, page_of};
use serve::app::ports::Runtime;

use super::page::Answer;
use super::{Details, Expected, Items, Kind, sql};

/// Pages that one run reads.
const MAX_PAGES: u32 = 10;
/// A page is read so often before it is given up.
const MAX_TRIES: u32 = 8;
const MAX_REDIRECTS: usize = 3;

impl<R: Runtime> Items<'_, R> {
    /// Reads some pages that are due, for the scheduled run. Answers a line when the database does not answer.
    pub async fn read_pages_due(&self, until_ms: u64) -> Vec<String> {
        let reads = self.config.sites.values().any(|site| site.details_from_pages);
        if !reads || !self.tables.is_bound() {
            return Vec::new();
        }
        match self.read_pages(until_ms).await {
            Ok(()) => Vec::new(),
            Err(error) => vec![format!("pages: {}", error.detail())],
        }
    }

    async fn read_pages(&self, until_ms: u64) -> Result<(), DatabaseError> {
        let answer = self.tables.query(&[sql::due_pages(MAX_PAGES, MAX_TRIES)]).await?;
        for (site, id) in answer.iter().flatten().filter_map(read) {
            let Some(site) = self.config.sites.get(site).filter(|site| site.details_from_pages) else { continue };
            if self.clock.clock_ms() >= until_ms {
                break;
            }
            match self.read_about(site, &id).await {
                Ok(details) => {
                    self.describe(&site.name, Kind::Item, &id, &details, &Expected::Nothing).await?;
                    // What is not noted at once, the scheduled run notes: it reads what was written.
                    self.tables.query(&[sql::forget_page(&site.name, &id)]).await?;
                }
                Err(detail) => {
                    self.tables.query(&[sql::put_off_page(&site.name, &id)]).await?;
                    let (site, item) = (site.name.as_str(), id.as_str());
                    self.log.log(&json!({ "level": "warn", "code": "page-not-read", "site": site, "item": item, "detail": detail }));
                }
            }
        }
        Ok(())
    }

    /// What an item's page says, after a few redirections at most, none of which leaves the site.
    async fn read_about(&self, site: &Site, id: &Id) -> Result<Details, String> {
        let mut url = page_of(site, id).ok_or("the item is no address of the site")?;
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.pages.read_page(&url).await?;
            match serde_json::from_slice(answer.as_bytes()).map_err(|error| error.to_string())? {
                Answer::PageMeta(message) => {
                    return message.details(id.as_str(), site.title_strip.as_deref()).ok_or_else(|| "the page has no title".into());
                }
                Answer::Redirect { redirect } if is_page(site, &redirect) => url = redirect,
                Answer::Redirect { redirect } => return Err(format!("the page went to {redirect:?}, which is not of the site's origins")),
            }
        }
        Err(format!("the page was redirected more than {MAX_REDIRECTS} times"))
    }
}

fn read(row: &Row) -> Option<(&str, Id)> {
    Some((row.get("site")?.as_str()?, Id::kept(row.get("id")?.as_str()?)?))
}
