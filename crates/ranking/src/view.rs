//! The composition of a page of a ranking: the members that are left out, the details of those that stay, and the rankings that
//! fill up a page that is not full.

use std::fmt::Write;

use super::name::Id;
use super::page::version_of;
use super::score::Score;

/// Members that are looked up in the database for one page. Each is three of its rows: of the list that names it, of the index and of the table. So a page
/// reads 1,000 at most.
pub const MAX_LOOKED_UP: u32 = 330;

/// What a reader wants of a page besides members and scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Show what is known of each member.
    pub details: bool,
    /// Show how often each member got each action, where the board keeps that.
    pub actions: bool,
    /// Leave this member out, such as the page that is being read.
    pub exclude: Option<Id>,
    /// Begin with the first member that stands no higher than this score, behind the pinned ones.
    pub from_score: Option<Score>,
    /// Only items of this category.
    pub category: Option<String>,
    /// Only items with this tag.
    pub tag: Option<String>,
    /// Only items of this author.
    pub author: Option<Id>,
    /// Only items that were published at most so many seconds ago.
    pub published_within_s: Option<u32>,
    /// At most so many items of one category.
    pub per_category: Option<u32>,
    /// At most so many items of one author.
    pub per_author: Option<u32>,
}

impl View {
    /// Ranks that are looked at for a page that ends with the entry number `end`, where members are left out: ten times as many as
    /// the page could hold, but no more than are looked up, and none that is small finds too little.
    const DEPTH: std::ops::RangeInclusive<u32> = 200..=MAX_LOOKED_UP;
    /// Ranks that are looked at behind a score.
    const BEHIND: u32 = 1_000;

    /// Whether it is the page as Redis has it.
    pub fn is_bare(&self) -> bool {
        *self == Self::default()
    }

    /// Whether only what the database knows tells which members stay.
    pub fn is_filtered(&self) -> bool {
        self.is_narrowed() || self.is_spread()
    }

    /// Whether more ranks are looked at than are shown.
    pub fn is_searched(&self) -> bool {
        self.is_filtered() || self.from_score.is_some()
    }

    /// Whether who has no details is left out.
    pub fn is_narrowed(&self) -> bool {
        self.category.is_some() || self.tag.is_some() || self.author.is_some() || self.published_within_s.is_some()
    }

    /// Whether of members that are alike only some stay.
    pub fn is_spread(&self) -> bool {
        self.per_category.is_some() || self.per_author.is_some()
    }

    /// How many members of a page are looked up in the database, where it ends with the entry number `end`, and has others to be filled up from.
    pub fn looked_up(&self, limit: u32, end: u32, others: u32) -> u32 {
        if !self.details && !self.is_filtered() {
            return 0;
        }
        let own = if self.is_searched() { self.depth(end) } else { limit + u32::from(self.exclude.is_some()) };
        own.saturating_add(others).min(MAX_LOOKED_UP)
    }

    /// How many ranks are looked at for the first `end` entries.
    pub fn depth(&self, end: u32) -> u32 {
        match (self.is_filtered(), &self.exclude) {
            _ if self.from_score.is_some() => Self::BEHIND,
            (true, _) => end.saturating_mul(10).clamp(*Self::DEPTH.start(), *Self::DEPTH.end()).max(end),
            (false, Some(_)) => end + 1,
            (false, None) => end,
        }
    }

    /// As a part of a cache key: equal for views that mean the same.
    pub fn key(&self) -> String {
        if self.is_bare() {
            return String::new();
        }
        // Its values may be long, and hold anything.
        let mut text = String::new();
        let _ = write!(text, "{self:?}");
        version_of(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths() {
        let narrow = View { category: Some("news".into()), ..View::default() };
        let exclude = View { exclude: Id::new("a"), ..View::default() };
        for (view, end, depth) in [
            (View::default(), 10, 10),
            (exclude, 10, 11),
            (View { from_score: Some(Score::ZERO), ..View::default() }, 10, 1_000),
            (narrow.clone(), 1, 200),
            (narrow.clone(), 30, 300),
            (narrow.clone(), 100, 330),
            (narrow.clone(), 1_000, 1_000),
        ] {
            assert_eq!(view.depth(end), depth, "{view:?} {end}");
        }
        assert!(View::default().key().is_empty() && !narrow.key().is_empty());
    }
}
