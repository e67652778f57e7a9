//! Facts about items that counting needs: the boards of sections, and those that an item belongs to.
//!
//! Boards of sections are made when an item is first put into one. From then on they are boards of the site like all others: upkeep,
//! history, archive and administrators see them. Which there are, and what each item belongs to, lies in Redis, and an isolate
//! remembers it for a while.
//!
//! # Decisions
//!
//! - A section has a board of its own, with keys, state and marks like any other. So nothing that keeps, reads or archives
//!   boards knows of sections: where a request, a delivery or the scheduled run begins, the site gets the boards that were
//!   made. No name in the configuration has a dot, so the names of section boards are free.
//! - Redis holds what items belong to, since counting asks it anyway and the database may be far. The database is right: each
//!   write is noted in Redis, and the scheduled run notes what was missed.
//! - On boards of authors, the author is a part of the identity of a tracked action. So an undo is tried for each author that
//!   the item had, and the one with the record loses the points.
//! - An undo is tried in each section where its item was. The one that took the action has its record. The parted board decides
//!   the answer.
//! - A repeated event counts in no new section. Each section remembers ids for itself, so a section that an item moved to does
//!   not know earlier ids. The former sections are asked for them (`lua/seen.lua`), in the trip that asks for earlier likes.
//!   Items that never changed, or changed longer ago than ids are known, are not asked for. A board of authors knows ids
//!   whoever the author is, and asks no other board.

pub mod announcement;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::rc::Rc;

use engine::adapter::Error;
use engine::store::did::ActionsOf;
use engine::store::facts::{Noted, Progress};
use lru::LruCache;
use ranking::counting::{Target, TargetBatch, TargetEvent};
use ranking::event::Batch;
use ranking::facts::{Facts, FactsByItem, Section, TrackedKey};
use ranking::name::{Id, Name};
use ranking::score::Score;
use ranking::site::{Members, Site};

use super::failure::Failure;
use super::ports::{Clock, Runtime};
use super::redis::Redis;
use crate::config::Config;

/// For so long an isolate believes what it read.
const FRESH_MS: u64 = 60_000;
/// By so much the clocks of the edge and of the database may differ, at most: then an id that is asked for was forgotten.
const CLOCKS_DIFFER_MS: u64 = 86_400_000;
/// Items whose facts an isolate remembers: about 2 MB.
const MOST_ITEMS: NonZeroUsize = NonZeroUsize::new(10_000).expect("it is not zero");

/// What an isolate remembers.
pub struct Remembered {
    sites: RefCell<Vec<KnownSite>>,
    /// By site and item, each with until when it is believed.
    facts: RefCell<LruCache<(Name, Id), (Facts, u64)>>,
}

impl Default for Remembered {
    fn default() -> Self {
        Self { sites: RefCell::default(), facts: RefCell::new(LruCache::new(MOST_ITEMS)) }
    }
}

/// A site with the boards of its sections.
struct KnownSite {
    site: Rc<Site>,
    until_ms: u64,
    /// Categories that have no board, since there was no room.
    without: Vec<String>,
}

/// A site as its events count on it, and what is known of their items.
pub struct Informed {
    /// `None`: as it is configured.
    pub site: Option<Rc<Site>>,
    pub facts: FactsByItem,
}

/// What Redis knows of items: the facts that boards ask for, the boards of sections, and which items were announced.
pub struct Catalog<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) remembered: &'a Remembered,
}

impl<R: Runtime> Catalog<'_, R> {
    /// Makes boards for the sections of categories, where there are none. The inner error names a board that there is no room for: then
    /// none is made.
    ///
    /// # Errors
    /// When Redis does not answer. Doing it again does no harm.
    pub async fn open_sections<'c>(&self, site: &Site, categories: impl Iterator<Item = &'c str>) -> Result<Result<(), String>, Failure> {
        let categories: BTreeSet<&str> = categories.filter(|category| !category.is_empty()).collect();
        let is_there = |section: &Section| site.boards.get(section.name().as_str()).is_some();
        let added: Vec<(Section, u32)> = categories
            .into_iter()
            .flat_map(|category| site.boards_of_section(category))
            .filter(|(section, _)| !is_there(section))
            .collect();
        if added.is_empty() {
            return Ok(Ok(()));
        }
        let store = self.redis.store().map_err(|error| Failure::of_write(&error))?;
        let made = store.sections(site, &added).await.map_err(|error| Failure::of_write(&error))?;
        Ok(made.map(|sections| drop(self.remember_site(site, &sections))))
    }

    /// Notes what the database says of items, where the site asks, and up to where it was read.
    ///
    /// # Errors
    /// When Redis does not answer. Doing it again does no harm.
    pub async fn note_facts(&self, site: &Site, noted: &[Noted], progress: Option<&Progress>) -> Result<(), Failure> {
        if !site.asks_facts() || noted.is_empty() {
            return Ok(());
        }
        let failed = |error: Error| Failure::of_write(&error);
        self.redis.repeat(async |store| store.note_facts(site, noted, progress).await).await.map_err(failed)?;
        let facts = &mut *self.remembered.facts.borrow_mut();
        for noted in noted {
            facts.pop(&(site.name.clone(), noted.item.clone()));
        }
        Ok(())
    }

    /// What is known of an item, from Redis.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn facts_of(&self, site: &Site, item: &Id) -> Result<Facts, Failure> {
        let read = self.redis.read(async |store| store.facts(site, &[item]).await).await;
        Ok(read.map_err(|error| Failure::of_read(&error))?.pop().unwrap_or_default())
    }

    /// What must be known to count some batches.
    ///
    /// 1. Read what is known of their items. Of what counts by who did it nothing is believed that was read before: an action and its undo
    ///    must find the same boards.
    /// 2. Read which sections there are, where that was long ago or an item is in one that nobody knows here.
    /// 3. Read what stands of what is done again to items that were in other sections, and which events those sections have counted.
    ///
    /// # Errors
    /// When Redis does not answer; nothing was counted.
    pub async fn informed(&self, site: &Site, senders: &[&Batch]) -> Result<Informed, Failure> {
        if !site.asks_facts() {
            return Ok(Informed { site: None, facts: FactsByItem::default() });
        }
        let now_ms = self.clock.clock_ms();
        let events = || senders.iter().flat_map(|batch| &batch.events);
        let anew: BTreeSet<&Id> =
            events().filter(|event| site.is_reversible(&event.action)).filter_map(|event| event.item.as_ref()).collect();
        let items: BTreeSet<&Id> = events().filter_map(|event| event.item.as_ref()).collect();
        let (mut known, mut asked) = (Vec::new(), Vec::new());
        for item in items {
            match self.remembered.fresh(site, item, now_ms).filter(|_| !anew.contains(item)) {
                Some(facts) => known.push((item.clone(), facts)),
                None => asked.push(item),
            }
        }
        if !asked.is_empty() {
            let read = self.redis.read(async |store| store.facts(site, &asked).await).await;
            let read = read.map_err(|error| Failure::of_read(&error))?;
            for (item, facts) in asked.into_iter().zip(read) {
                self.remembered.keep(site, item, &facts, now_ms + FRESH_MS);
                known.push((item.clone(), facts));
            }
        }
        let facts: FactsByItem = known.into_iter().collect();
        if !site.has_sections() {
            let (done, seen) = self.counted_elsewhere(site, senders, &facts).await?;
            return Ok(Informed { site: None, facts: facts.with_earlier(done, seen) });
        }
        let mut informed = self.site_with_sections(site, false).await?;
        let is_new = |category: &&String| {
            informed.boards_of_section(category).any(|(section, _)| informed.boards.get(section.name().as_str()).is_none())
                && !self.remembered.is_without(site, category)
        };
        let new: Vec<String> = facts.values().filter_map(|facts| facts.category.as_ref()).filter(is_new).cloned().collect();
        if !new.is_empty() {
            informed = self.site_with_sections(site, true).await?;
            self.remembered.note_without(&informed, new);
        }
        let (done, seen) = self.counted_elsewhere(&informed, senders, &facts).await?;
        Ok(Informed { site: Some(informed), facts: facts.with_earlier(done, seen) })
    }

    /// What the actors of some events did to their items when those were in other sections or of other authors, and what stands: it counts
    /// there, and not once more. What is undone before it is done again in the same batches does not stand. And the events that are sent
    /// again, and were counted in other sections, by their places.
    async fn counted_elsewhere(
        &self,
        site: &Site,
        senders: &[&Batch],
        facts: &FactsByItem,
    ) -> Result<(Vec<TrackedKey>, Vec<(usize, usize)>), Failure> {
        let (keys, asked) = Self::asked_of_actors(site, senders, facts);
        let (places, sent) = sent_before(site, senders, facts, self.clock.clock_ms());
        if asked.is_empty() && sent.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let read = self.redis.read(async |store| store.did_and_seen(site, &asked, &sent).await).await;
        let (found, known) = read.map_err(|error| Failure::of_read(&error))?;
        let done = keys.into_iter().zip(found).filter(|(_, points)| points.iter().any(Option::is_some)).map(|(key, _)| key).collect();
        let seen =
            places.into_iter().flatten().zip(known.into_iter().flatten()).filter(|(_, is_known)| *is_known).map(|(at, _)| at).collect();
        Ok((done, seen))
    }

    /// What actors may have done to items of events when those were in other sections or of other authors.
    fn asked_of_actors<'b>(site: &'b Site, senders: &[&'b Batch], facts: &'b FactsByItem) -> (Vec<TrackedKey>, Vec<ActionsOf<'b>>) {
        let mut undone: Vec<TrackedKey> = Vec::new();
        let mut asked: Vec<(TrackedKey, ActionsOf)> = Vec::new();
        for event in senders.iter().flat_map(|batch| &batch.events) {
            let (Some(actor), Some(item)) = (&event.actor, &event.item) else { continue };
            let key = (actor.clone(), event.action.clone(), item.clone());
            if event.undo {
                undone.push(key);
                continue;
            }
            let Some(facts) = facts.of(item) else { continue };
            if !site.is_reversible(&event.action) || undone.contains(&key) || asked.iter().any(|(known, _)| *known == key) {
                continue;
            }
            let names =
                facts.earlier_categories.iter().flat_map(|category| site.boards_of_section(category)).map(|(section, _)| section.name());
            let boards = names.filter_map(|name| site.boards.get(name.as_str())).map(|board| (board, vec![(&event.action, item)]));
            let credited: Vec<(&Name, &Id)> = facts.earlier_authors.iter().map(|credit| (&event.action, &credit.known_as)).collect();
            let of_authors = site.boards.values().filter(|board| !credited.is_empty() && board.members == Members::Authors);
            let of_authors = of_authors.map(|board| (board, credited.clone()));
            for (board, actions) in boards.chain(of_authors) {
                asked.push((key.clone(), ActionsOf { target: Target::Board(board), actor, actions }));
            }
        }
        asked.into_iter().unzip()
    }

    /// A site with the boards of its sections; with `anew` as Redis has them now. Boards of templates, and what is left out, stay as they are.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn site_with_sections(&self, site: &Site, anew: bool) -> Result<Rc<Site>, Failure> {
        let known = self.remembered.site(&site.name);
        let now_ms = self.clock.clock_ms();
        if let Some((known, _)) = known.as_ref().filter(|(_, until_ms)| !anew && *until_ms > now_ms) {
            return Ok(as_asked(known, site));
        }
        match self.redis.read(async |store| store.sections(site, &[]).await).await {
            Ok(sections) => Ok(as_asked(&self.remember_site(site, &sections.unwrap_or_default()), site)),
            // What was there still is.
            Err(error) => known.filter(|_| !anew).map(|(known, _)| as_asked(&known, site)).ok_or_else(|| Failure::of_read(&error)),
        }
    }

    /// Remembers the sections of a site for all who ask, whatever this one has or lacks.
    pub fn remember_site(&self, site: &Site, sections: &[Section]) -> Rc<Site> {
        let site = Rc::new(self.config.sites.get(site.name.as_str()).map_or(site, |site| &**site).without_made().with_sections(sections));
        let known = KnownSite { site: Rc::clone(&site), until_ms: self.clock.clock_ms() + FRESH_MS, without: Vec::new() };
        let sites = &mut *self.remembered.sites.borrow_mut();
        sites.retain(|known| known.site.name != site.name);
        sites.push(known);
        site
    }
}

/// A site with sections as somebody asks for it: with the boards of templates, and without the targets, that the site asked for has and lacks.
fn as_asked(known: &Rc<Site>, site: &Site) -> Rc<Site> {
    let made = site.made_boards();
    match (made.is_empty(), site.excluded.is_empty()) {
        (true, true) => Rc::clone(known),
        (_, true) => Rc::new(known.with_boards_as(&made)),
        (_, false) => Rc::new(known.with_boards_as(&made).without(&site.excluded)),
    }
}

/// The events that may be sent again, of items that were in other sections within the time for which ids are known: their places, and the
/// same as these sections may have counted them.
fn sent_before<'b>(
    site: &'b Site,
    senders: &[&'b Batch],
    facts: &'b FactsByItem,
    now_ms: u64,
) -> (Vec<Vec<(usize, usize)>>, Vec<TargetBatch<'b>>) {
    let mut sent: Vec<(Vec<(usize, usize)>, TargetBatch)> = Vec::new();
    let batches = senders.iter().enumerate();
    let events = batches.flat_map(|(sender, batch)| batch.events.iter().enumerate().map(move |(at, event)| ((sender, at), *batch, event)));
    for (place, batch, event) in events.filter(|(_, batch, event)| !event.undo && (event.id.is_some() || batch.id.is_some())) {
        let Some((item, facts)) = event.item.as_ref().and_then(|item| Some((item, facts.of(item)?))) else { continue };
        for section in
            facts.earlier_categories.iter().flat_map(|category| site.boards_of_section(category)).map(|(section, _)| section.name())
        {
            let Some(board) = site.boards.get(section.as_str()) else { continue };
            let target = Target::Board(board);
            // Ids are known for up to two of their windows.
            let known_ms = 2000 * u64::from(target.replay_window(site).longest(batch.sender.queued()));
            let is_forgotten = facts.written_ms != 0 && facts.written_ms + known_ms + CLOCKS_DIFFER_MS < now_ms;
            if is_forgotten || board.weight(event.action.as_str(), event.item.as_ref()).is_none() {
                continue;
            }
            let is_same = |of: &TargetBatch| matches!(of.target, Target::Board(of) if of.name == board.name) && of.sender == batch.sender;
            let at = sent.iter().position(|(_, of)| is_same(of)).unwrap_or_else(|| {
                sent.push((Vec::new(), TargetBatch { sender: batch.sender, ..TargetBatch::empty(target) }));
                sent.len() - 1
            });
            sent[at].0.push(place);
            sent[at].1.events.push(TargetEvent {
                member: item,
                weight: Score::ZERO,
                when: event.when,
                id: event.id.as_ref(),
                batch: batch.id.as_ref(),
                index: event.index,
                action: &event.action,
                item: event.item.as_ref(),
                count: event.count,
                meta: None,
                tracked: None,
                number: 0,
            });
        }
    }
    sent.into_iter().unzip()
}

impl Remembered {
    fn site(&self, name: &Name) -> Option<(Rc<Site>, u64)> {
        let sites = self.sites.borrow();
        sites.iter().find(|known| known.site.name == *name).map(|known| (Rc::clone(&known.site), known.until_ms))
    }

    fn is_without(&self, site: &Site, category: &String) -> bool {
        self.sites.borrow().iter().any(|known| known.site.name == site.name && known.without.contains(category))
    }

    /// Notes which of some categories have no board.
    fn note_without(&self, site: &Site, mut categories: Vec<String>) {
        categories
            .retain(|category| site.boards_of_section(category).any(|(section, _)| site.boards.get(section.name().as_str()).is_none()));
        if let Some(known) = self.sites.borrow_mut().iter_mut().find(|known| known.site.name == site.name) {
            known.without.extend(categories);
        }
    }

    fn fresh(&self, site: &Site, item: &Id, now_ms: u64) -> Option<Facts> {
        let facts = &mut *self.facts.borrow_mut();
        facts.get(&(site.name.clone(), item.clone())).filter(|(_, until_ms)| *until_ms > now_ms).map(|(facts, _)| facts.clone())
    }

    fn keep(&self, site: &Site, item: &Id, facts: &Facts, until_ms: u64) {
        let entry = (facts.clone(), until_ms);
        self.facts.borrow_mut().put((site.name.clone(), item.clone()), entry);
    }
}

#[cfg(test)]
mod tests {
    use ranking::facts::Sections;
    use ranking::name::Named;
    use ranking::site::Board;
    use ranking::template::Template;

    use super::*;

    #[test]
    fn a_site_with_sections_keeps_boards_of_templates_and_excluded_targets() {
        let name = |text| Name::new(text).or_else(|| Name::of_board(text)).expect("a name");
        let board = |text| Board::new(name(text));
        let stories = Board { sections: Sections::ByCategory(3), ..board("stories") };
        let boards: Named<_> = [board("plain"), stories].into_iter().map(|board| (board.name.clone(), Rc::new(board))).collect();
        let level = Template { board: board("level"), public: false, on_event: false, max_boards: 3 };
        let templates = [(name("level"), Rc::new(level))].into_iter().collect();
        let site = Site { boards, templates, ..Site::new(name("demo")) };
        let known = Rc::new(site.with_sections(&[Section { board: name("stories"), value: "sports".into() }]));
        let check = |asked: &Site, expected| assert_eq!(as_asked(&known, asked).boards.list(), expected);
        check(&site, "plain, stories, stories.sports");
        check(&site.with_boards(&[name("level:1")]), "level:1, plain, stories, stories.sports");
        let excluded = ["stories".to_owned(), "plain".to_owned()];
        check(&site.without(&excluded).with_boards(&[name("level:1")]), "level:1, stories.sports");
        assert!(Rc::ptr_eq(&as_asked(&known, &site), &known));
    }
}
