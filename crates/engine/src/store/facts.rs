//! The categories and authors of a site's items: `lua/facts.lua`, `lua/note_facts.lua` and `lua/sections.lua`.

use ranking::counting::Target;
use ranking::facts::{Credit, Facts, Section};
use ranking::name::Id;
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{FactsArgs, FactsItem, NoteFactsArgs, NoteFactsItem, SectionsArgs, SectionsReply, SectionsSection};
use crate::adapter::{Error, Mode, Transport};

/// Items in a call: about a millisecond of Redis's time.
const ITEMS: usize = 500;
/// Categories and authors of before that are remembered of an item: as many as there may be sections.
const MOST_EARLIER: i64 = 256;

/// What the database says of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    pub item: Id,
    /// When it was written, in Unix milliseconds of the database; 0: it was deleted.
    pub at_ms: i64,
    pub category: String,
    pub author: String,
}

/// Up to where the database was read, in the order in which items were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub at_ms: i64,
    pub item: String,
}

/// The field of the hash that holds it. No item has this id.
const PROGRESS: &str = "\n";

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// What items belong to, of each in order.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn facts(&self, site: &Site, items: &[&Id]) -> Result<Vec<Facts>, Error> {
        let chunks: Vec<&[&Id]> = items.chunks(ITEMS).collect();
        let call = |i: usize, _: &ZoneSpan| FactsArgs {
            board: self.key(site, Target::ActivityLog),
            items: chunks[i].iter().map(|item| FactsItem { id: item.as_str().into() }).collect(),
        };
        let replies = self.call_all(Mode::Pipeline, site, vec![self.years(); chunks.len()], call).await?;
        let mut facts = Vec::with_capacity(items.len());
        for reply in replies {
            let asked = &items[facts.len()..];
            facts.extend(reply?.facts.into_iter().zip(asked).map(|(fact, item)| read(item, &fact.known)));
        }
        Ok(facts)
    }

    /// Up to where it is noted what items belong to.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn filed_until(&self, site: &Site) -> Result<Progress, Error> {
        let items = vec![FactsItem { id: PROGRESS.into() }];
        let reply =
            self.call(site, self.years(), |_| FactsArgs { board: self.key(site, Target::ActivityLog), items: items.clone() }).await?;
        let known = reply.facts.first().and_then(|fact| fact.known.split_once(' '));
        Ok(known.map_or_else(Progress::default, |(at, item)| Progress { at_ms: at.parse().unwrap_or_default(), item: item.into() }))
    }

    /// Notes what items belong to, and then up to where that was read, in one round trip.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn note_facts(&self, site: &Site, noted: &[Noted], progress: Option<&Progress>) -> Result<(), Error> {
        let chunks: Vec<&[Noted]> = noted.chunks(ITEMS).collect();
        let item = |noted: &Noted| NoteFactsItem {
            id: noted.item.as_str().into(),
            at: noted.at_ms,
            category: noted.category.clone(),
            author: noted.author.clone(),
        };
        let call = |i: usize, _: &ZoneSpan| NoteFactsArgs {
            board: self.key(site, Target::ActivityLog),
            most: MOST_EARLIER,
            progress: progress.filter(|_| i + 1 == chunks.len()).map_or(String::new(), |of| format!("{} {}", of.at_ms, of.item)),
            items: chunks[i].iter().map(item).collect(),
        };
        let replies = self.call_all(Mode::Pipeline, site, vec![self.years(); chunks.len()], call).await?;
        replies.into_iter().try_for_each(|reply| reply.map(drop))
    }

    /// The sections that a site has boards for, after some were added, each with how many its board may have. The inner error is one that
    /// there is no room for: then none was added.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn sections(&self, site: &Site, added: &[(Section, u32)]) -> Result<Result<Vec<Section>, String>, Error> {
        let call = |_: &ZoneSpan| SectionsArgs {
            board: self.key(site, Target::ActivityLog),
            sections: added.iter().map(|(of, most)| SectionsSection { name: of.name().as_str().into(), most: (*most).into() }).collect(),
        };
        Ok(match self.call(site, self.years(), call).await? {
            SectionsReply::Full { name } => Err(name),
            SectionsReply::Ok { boards } => Ok(boards.iter().filter_map(|board| Section::of_written(&board.name)).collect()),
        })
    }
}

/// By the text that `lua/note_facts.lua` writes.
fn read(item: &Id, known: &str) -> Facts {
    let mut lines = known.split('\n');
    let mut line = || lines.next().unwrap_or_default();
    let (written_ms, category, author, categories, authors) = (line().parse().unwrap_or_default(), line(), line(), line(), line());
    let each = |list: &str| list.split('\t').filter(|text| !text.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let credit = |author: &str| Id::kept(author).map(|author| Credit::new(item, author));
    Facts {
        written_ms,
        category: Some(category).filter(|category| !category.is_empty()).map(str::to_owned),
        author: credit(author),
        earlier_categories: each(categories),
        earlier_authors: each(authors).iter().filter_map(|author| credit(author)).collect(),
    }
}
