//! A page that is composed of several: with what is known of its members, and filled up from other windows.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::{Map, Value};

use super::name::Id;
use super::page::{Meta, Page, PeriodInfo, Previous};
use super::read::PeriodRef;
use super::score::Score;
use super::site::Site;
use super::view::View;

/// What is known of a member, by its id.
pub type KnownDetails = HashMap<Id, Map<String, Value>>;

#[derive(Serialize)]
struct Document<'p> {
    version: &'p str,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<u64>,
    /// Ranks that were looked at, where members may be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched: Option<usize>,
    /// The page is not full, and not all members were looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bounded: bool,
    /// The database did not answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undescribed: bool,
    entries: &'p [Entry<'p>],
}

#[derive(Serialize)]
struct Entry<'p> {
    rank: u64,
    id: &'p Id,
    score: Score,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'p Meta>,
    #[serde(rename = "previous_rank", skip_serializing_if = "Previous::is_unknown")]
    previous: Previous,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'p str>,
    /// The window that it was taken from, where that is not the ranking's.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<&'p str>,
    /// How often by action.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'p Map<String, Value>>,
}

/// What is composed.
pub struct Composition<'p> {
    pub site: &'p Site,
    /// The ranking's own page first, which begins with the best, then those that it is filled up from.
    pub pages: &'p [Page],
    pub of: &'p [PeriodRef],
    pub offset: u32,
    pub limit: u32,
    pub view: &'p View,
    /// Of the members who stay; `None`: the database was not asked.
    pub details: Option<&'p KnownDetails>,
    /// The database did not say what it knows of all of them.
    pub undescribed: bool,
    /// How many ranks of the ranking's own page were asked for.
    pub depth: u32,
}

/// How many members of each category and author stand on the page already.
#[derive(Default)]
struct Spread<'p>(HashMap<(&'static str, &'p str), u32>);

impl<'p> Spread<'p> {
    /// Whether a member has room beside those before it; if so, it takes it.
    fn take(&mut self, view: &View, details: Option<&'p Map<String, Value>>) -> bool {
        let groups = [("category", view.per_category), ("author", view.per_author)];
        let limited = groups.into_iter().filter_map(|(name, max)| Some(((name, details?.get(name)?.as_str()?), max?)));
        let limited: Vec<_> = limited.collect();
        let is_free = limited.iter().all(|(group, max)| self.0.get(group).copied().unwrap_or(0) < *max);
        if is_free {
            for (group, _) in limited {
                *self.0.entry(group).or_default() += 1;
            }
        }
        is_free
    }
}

impl Composition<'_> {
    /// Its JSON and version; `None` where there is no page.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render(&self) -> serde_json::Result<Option<(Vec<u8>, String)>> {
        let (Some(first), Some(of)) = (self.pages.first(), self.of.first()) else { return Ok(None) };
        let end = self.offset as usize + self.limit as usize;
        let entries = self.choose(end);
        let bounded = self.view.is_searched() && entries.len() < end && first.total > u64::from(self.depth);
        let entries = &entries[entries.len().min(self.offset as usize)..];
        let mut document = Document {
            version: "",
            total: first.total,
            refused: (first.refused > 0).then_some(first.refused),
            searched: self.view.is_searched().then_some(first.entries.len()),
            bounded,
            undescribed: self.undescribed,
            entries,
        };
        let info = PeriodInfo { complete: self.is_complete(), ..first.info.clone() };
        let version = info.version(serde_json::to_vec(&document)?)?;
        document.version = &version;
        let json = info.begin(self.site, &of.board, &of.window, &serde_json::to_vec(&document)?)?;
        Ok(Some((json, version)))
    }

    /// Whether every ranking that the page is made of is complete: its own, and those that fill it up while it has room.
    fn is_complete(&self) -> bool {
        let end = self.offset as usize + self.limit as usize;
        let is_full = |pages: usize| Self { pages: &self.pages[..pages], ..*self }.choose(end).len() == end;
        let used = (1..self.pages.len()).find(|pages| is_full(*pages)).unwrap_or(self.pages.len());
        self.pages[..used].iter().all(|page| page.info.complete)
    }

    /// The best members who stay, up to a number of them; each once.
    fn choose(&self, end: usize) -> Vec<Entry<'_>> {
        let (mut chosen, mut seen, mut spread) = (Vec::new(), HashSet::new(), Spread::default());
        for (i, (page, of)) in self.pages.iter().zip(self.of).enumerate() {
            for (at, entry) in page.entries.iter().enumerate() {
                let details = self.details.and_then(|details| details.get(&entry.id));
                let is_pinned = i == 0 && u64::from(page.offset) + (at as u64) < page.pinned;
                let is_before = self.view.from_score.is_some_and(|score| is_pinned || of.board.is_above(entry.score, score));
                let is_out = is_before || self.view.exclude.as_ref() == Some(&entry.id) || self.view.is_narrowed() && details.is_none();
                if chosen.len() == end || is_out || !seen.insert(&entry.id) || !spread.take(self.view, details) {
                    continue;
                }
                let is_own = i == 0;
                chosen.push(Entry {
                    rank: if is_own { entry.rank } else { chosen.len() as u64 + 1 },
                    id: &entry.id,
                    score: entry.score,
                    meta: entry.meta.as_ref(),
                    previous: if is_own { entry.previous } else { Previous::Unknown },
                    pinned: is_pinned,
                    tier: of.board.tiers.of(entry.rank, page.total).filter(|_| is_own),
                    window: (!is_own).then(|| of.window.name.as_str()),
                    actions: (self.view.actions && of.board.is_tallied(&of.window)).then(|| counts(&entry.tally)),
                    details: details.filter(|_| self.view.details),
                });
            }
        }
        chosen
    }
}

/// The counts by action of a tally: "action count sum …".
pub fn counts(tally: &str) -> Map<String, Value> {
    let words: Vec<&str> = tally.split_whitespace().collect();
    let count = |words: &[&str]| Some(((*words.first()?).to_owned(), words.get(1)?.parse::<i64>().ok()?.into()));
    words.chunks(3).filter_map(count).collect()
}
