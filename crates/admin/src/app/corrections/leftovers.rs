//! What Redis keeps of boards and windows that are no longer configured, found and removed by hand, and boards of sections.
//!
//! # Out of scope
//! Sites that are no longer configured, the database and the archive: what is there was meant to stay.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::adapter::Error;
pub use engine::store::leftover::Leftover;
use ranking::facts::Section;
use ranking::site::Site;

use super::Corrections;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

/// What was found of one part of a board.
#[derive(Debug)]
pub struct Found {
    pub of: Leftover,
    pub keys: u64,
    /// As far as Redis tells.
    pub bytes: u64,
}

/// What was found, by board and part.
#[derive(Debug, Default)]
pub struct Search {
    pub found: Vec<Found>,
    /// Where to go on; `None` when all keys were looked at.
    pub cursor: Option<String>,
}

impl<R: Runtime> Corrections<'_, R> {
    /// Looks through the keys of a site until `until_ms` (by the edge's clock) has come, from a cursor on. What `removes` names is
    /// removed, and nothing else reported.
    ///
    /// 1. Read which boards of sections there are. One that is to be removed is one no more.
    /// 2. Look at some keys after the other, and remove those that are asked for.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be removed.
    pub async fn leftovers(
        &self,
        site: &Site,
        cursor: &str,
        only: Option<&Leftover>,
        removes: bool,
        until_ms: u64,
    ) -> Result<Search, Failure> {
        let failed = |error: Error| Failure { nothing_written: !removes, ..Failure::of_write(&error) };
        let store = self.redis.store().map_err(failed)?;
        let mut sections = store.sections(site, &[]).await.map_err(failed)?.unwrap_or_default();
        let is_only = |section: &Section| only.is_some_and(|only| only.part.is_none() && section.name().as_str() == only.board);
        if let Some(section) = sections.iter().find(|section| removes && is_only(section)) {
            store.drop_section(site, section.name().as_str()).await.map_err(failed)?;
        }
        sections.retain(|section| !is_only(section));
        let site = if removes { self.catalog.remember_site(site, &sections) } else { Rc::new(site.with_sections(&sections)) };
        let (mut search, mut cursor) = (Search::default(), cursor.to_owned());
        loop {
            let piece = store.leftovers(&site, &cursor).await.map_err(failed)?;
            let is_asked = |of: &Leftover| only.is_none_or(|only| only.board == of.board && (only.part.is_none() || only.part == of.part));
            let asked: Vec<_> = piece.found.into_iter().filter(|(of, ..)| is_asked(of)).collect();
            if removes && !asked.is_empty() {
                let keys: Vec<String> = asked.iter().map(|(_, key, _)| key.clone()).collect();
                store.unlink(&keys).await.map_err(failed)?;
            }
            for (of, _, bytes) in asked {
                search.add(of, bytes.unwrap_or(0));
            }
            let Some(next) = piece.cursor else {
                if let Some(only) = only.filter(|only| removes && only.part.is_none()) {
                    self.copies.forget_boards(&site, &BTreeSet::from([only.board.clone()])).await.map_err(Failure::unfinished)?;
                }
                return Ok(search);
            };
            if self.clock.clock_ms() >= until_ms {
                return Ok(Search { cursor: Some(next), ..search });
            }
            cursor = next;
        }
    }
}

impl Search {
    fn add(&mut self, of: Leftover, bytes: u64) {
        match self.found.iter_mut().find(|found| found.of == of) {
            Some(found) => {
                found.keys += 1;
                found.bytes += bytes;
            }
            None => self.found.push(Found { of, keys: 1, bytes }),
        }
    }
}
