//! Items that are deleted: off every board, and kept off until they are described again.
//!
//! A mark in the database comes first, in the transaction that deletes the details. Every run that finds it unsettled ends the rest, so that
//! nothing is half done for long when Redis does not answer, or the worker is gone.
//!
//! A mark says `going`, `off` or `returning`. Two requests that take an item off and let it in at once each see the other in
//! it, and the later one holds.

use engine::store::facts::Noted;
use ranking::facts::Facts;
use ranking::name::{Id, Name};
use ranking::site::{Board, Members, Site};
use serve::app::database::{DatabaseError, Row, number};
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

use super::alias::sql::forget_alias;
use super::unsettled::{Allowance, Marked, TAKEN_DOWN};
use super::{Expected, Items, sql, unlike};
use crate::app::corrections::removal::Whom;

/// Why something is not done yet: the next scheduled run goes on with it.
#[derive(Debug)]
pub enum Unfinished {
    /// Time ran out.
    Late,
    /// Boards are left that the next run visits.
    Remaining,
    /// Redis does not answer.
    Redis(Failure),
    /// The database does not answer.
    Database(DatabaseError),
    /// This board keeps off as many as it can.
    Full(Name),
    /// The board that is parted has as many sections as it may have, and none of this name.
    NoSection(String),
}

impl<R: Runtime> Items<'_, R> {
    /// Deletes what is known of an item and marks it as taken down. `false` when what is there is not what was expected.
    ///
    /// # Errors
    /// When the database does not answer; it may be done.
    pub async fn mark_taken_down(&self, site: &Name, id: &Id, expected: &Expected) -> Result<bool, DatabaseError> {
        let answer = self.change_details(&[sql::mark(site, id, expected), sql::delete_marked(site, id), forget_alias(site, id)]).await?;
        let [marked, ..] = answer.as_slice() else { return Err(unlike("three lists of rows")) };
        Ok(!marked.is_empty())
    }

    /// Takes an item that is marked off every board, until `until_ms` (by the edge's clock) has come. Doing it again goes on.
    ///
    /// # Errors
    /// Why it is not off all of them yet.
    pub async fn take_down(&self, site: &Site, id: &Id, (until_ms, allowance): (u64, &Allowance)) -> Result<(), Unfinished> {
        // From now on it is in no section, and those where it was are known.
        let deleted = Noted { item: id.clone(), at_ms: 0, category: String::new(), author: String::new() };
        self.catalog.note_facts(site, &[deleted], None).await.map_err(Unfinished::Redis)?;
        let facts = self.facts_of_item(site, id).await.map_err(Unfinished::Redis)?;
        self.visit_boards(site, marked(id), (until_ms, allowance), async |chunk| {
            let boards = boards_of_item(&chunk.site, &facts);
            let removed = self.corrections.remove_from(&chunk.site, &boards, id, until_ms).await.map_err(Unfinished::Redis)?;
            let (is_done, copies) = removed.map_err(Unfinished::Full)?;
            // Of each copy that had it: one to read it, one to write it.
            if is_done { Ok(1 + 2 * copies) } else { Err(Unfinished::Late) }
        })
        .await?;
        let answer = self.tables.query(&[sql::settle(&site.name, id)]).await.map_err(Unfinished::Database)?;
        // Somebody described it meanwhile, and wants it on the boards.
        if answer.first().is_none_or(Vec::is_empty) {
            self.let_in_everywhere(site, id, (until_ms, allowance)).await?;
        }
        Ok(())
    }

    /// Has all deletions and aliases of a site done once more: Redis lost that.
    ///
    /// # Errors
    /// When the database does not answer; it may be done.
    pub async fn apply_again(&self, site: &Site) -> Result<(), DatabaseError> {
        self.tables.query(&sql::apply_again(&site.name)).await?;
        self.look_at_unsettled();
        Ok(())
    }

    /// How many deletions and aliases of a site upkeep is to end.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn remaining_items(&self, site: &Site) -> Result<i64, DatabaseError> {
        if !self.tables.is_bound() {
            return Ok(0);
        }
        let answer = self.tables.query(&[sql::remaining_of(&site.name)]).await?;
        Ok(answer.first().and_then(|rows| number(rows.first()?, "n")).unwrap_or_default())
    }

    /// Ends what is left to do, for the scheduled run. Answers a line for each item that is left.
    pub async fn take_down_due(&self, until_ms: u64) -> Vec<String> {
        let end = async |site: &Site, row: &Row, allowance: &Allowance| {
            let id = Id::kept(row.get("id")?.as_str()?)?;
            let is_returning = row.get("state")?.as_str()? == "returning";
            let until = (until_ms, allowance);
            let done = if is_returning { self.publish(site, &[&id], until).await } else { self.take_down(site, &id, until).await };
            let why = done.err().filter(|why| !matches!(why, Unfinished::Remaining))?;
            let task = if is_returning { "published again and still kept off boards" } else { "deleted and still on boards" };
            Some(format!("{:?} is {task}: {}", id.as_str(), why.detail()))
        };
        self.settle_due(TAKEN_DOWN, sql::unsettled, until_ms, end).await
    }

    /// Lets items that are described onto the boards again, where they were taken down, until `until_ms` (by the edge's clock) has come. Doing it again goes
    /// on.
    ///
    /// # Errors
    /// Why they may still be kept off.
    pub async fn publish(&self, site: &Site, ids: &[&Id], until: (u64, &Allowance)) -> Result<(), Unfinished> {
        let answer = self.tables.query(&[sql::begin_return(&site.name, ids)]).await.map_err(Unfinished::Database)?;
        let returning: Vec<Id> = answer.iter().flatten().filter_map(|row| Id::kept(row.get("id")?.as_str()?)).collect();
        if returning.is_empty() {
            return Ok(());
        }
        let (mut let_in, mut unfinished) = (Vec::new(), None);
        for id in &returning {
            match self.let_in_everywhere(site, id, until).await {
                Ok(()) => let_in.push(id),
                Err(why) => {
                    unfinished = Some(why);
                    break;
                }
            }
        }
        if !let_in.is_empty() {
            self.tables.query(&sql::end_return(&site.name, &let_in)).await.map_err(Unfinished::Database)?;
        }
        match unfinished {
            None => Ok(()),
            Some(why) => {
                self.look_at_unsettled();
                Err(why)
            }
        }
    }

    async fn let_in_everywhere(&self, site: &Site, id: &Id, until: (u64, &Allowance)) -> Result<(), Unfinished> {
        let facts = self.facts_of_item(site, id).await.map_err(Unfinished::Redis)?;
        self.visit_boards(site, marked(id), until, async |chunk| {
            let boards = boards_of_item(&chunk.site, &facts);
            self.corrections.let_in_to(&chunk.site, &boards, id).await.map_err(Unfinished::Redis)?;
            Ok(0)
        })
        .await
    }

    /// What an item belongs to, and belonged to before.
    async fn facts_of_item(&self, site: &Site, id: &Id) -> Result<Facts, Failure> {
        if site.has_sections() { self.catalog.facts_of(site, id).await } else { Ok(Facts::default()) }
    }
}

/// The boards of a chunk that an item may be on: of sections those where it is or was.
fn boards_of_item<'s>(chunk: &'s Site, facts: &Facts) -> Vec<&'s Board> {
    let may_be_on = |board: &&Board| board.members == Members::Items && board.may_have(facts);
    chunk.boards.values().map(|board| &**board).filter(may_be_on).collect()
}

fn marked(id: &Id) -> Marked<'_> {
    Marked { table: "taken_down", id }
}

impl Unfinished {
    /// For people.
    pub fn detail(&self) -> String {
        match self {
            Self::Late => "time ran out".into(),
            Self::Remaining => "boards are left".into(),
            Self::Redis(failure) => failure.detail.clone(),
            Self::Database(error) => error.detail().into(),
            Self::Full(board) => format!("the board {board} keeps off {} ids and prefixes, which is all there may be", Whom::MOST),
            Self::NoSection(board) => format!("there is no room for the section {board}: max_sections is reached"),
        }
    }
}
