//! Items that become others: their points, what was done to them, and what is known of them.
//!
//! A row of the database comes first, in the transaction that moves the details. Every run that finds it unsettled ends the rest. How far that
//! is on each board stands in Redis.

pub(super) mod sql;

use engine::store::Store;

pub use engine::store::alias::Alias;
use engine::store::alias::Merged;
use engine::store::facts::Noted;
use ranking::counting::Target;
use ranking::facts::{Credit, Facts};
use ranking::name::{Id, Name};
use ranking::site::{Board, Members, Site};

use super::unsettled::{ALIASES, Allowance, Marked};
use super::{Items, Unfinished, unlike};
use crate::app::archive::ArchiveError;
use serve::app::database::{DatabaseError, Row, number};
use serve::app::failure::Failure;
use serve::app::ports::Runtime;
use serve::app::templates::chunks::{Concerned, TRIP};

/// What the database says of an item that became another one.
#[derive(Debug)]
pub struct Known {
    /// What it became.
    pub next: Id,
    /// What that is now: the last one of all that became something else since.
    pub end: Id,
    /// Whether all that it had is that one's.
    pub is_done: bool,
}

/// Why an item does not become another one.
#[derive(Debug)]
pub enum Refused {
    /// They are the same, or the other one became this one.
    Loop,
    /// It became this one before.
    Other(Id),
    /// This one was deleted.
    Deleted(Id),
    /// This one is kept off the board.
    Off(Id, Name),
    /// This board counts one of them and not the other one.
    Uneven(Name),
    /// Another item is still becoming this one, or somebody else asked for the same meanwhile.
    Contended,
}

impl<R: Runtime> Items<'_, R> {
    /// What an item became.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn alias_of(&self, site: &Name, id: &Id) -> Result<Option<Known>, DatabaseError> {
        let answer = self.tables.query(&[sql::alias(site, id), sql::end_of(site, id)]).await?;
        let [own, ends] = answer.as_slice() else { return Err(unlike("two lists of rows")) };
        let known = |own: &Row| {
            let text = |row: &Row, name: &str| Id::kept(row.get(name)?.as_str()?);
            Some(Known { next: text(own, "target")?, end: text(ends.first()?, "id")?, is_done: own.get("state")?.as_str()? == "done" })
        };
        Ok(own.first().and_then(known))
    }

    /// Looks whether an item may become another one, or what that one became. Answers the alias, and whether it was noted before.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn check_alias(&self, site: &Site, alias: &Alias) -> Result<Result<(Alias, bool), Refused>, Unfinished> {
        let Alias { old, new } = alias;
        let known = async |id| self.alias_of(&site.name, id).await.map_err(Unfinished::Database);
        let target = known(new).await?.map_or_else(|| new.clone(), |known| known.end);
        if target == *old {
            return Ok(Err(Refused::Loop));
        }
        if let Some(known) = known(old).await? {
            let again = Alias { old: old.clone(), new: known.next };
            return Ok(if known.end == target { Ok((again, true)) } else { Err(Refused::Other(known.end)) });
        }
        let alias = Alias { old: old.clone(), new: target };
        let answer =
            self.tables.query(&[sql::deleted(&site.name, &alias), sql::becoming(&site.name, old)]).await.map_err(Unfinished::Database)?;
        let [deleted, becoming] = answer.as_slice() else { return Err(Unfinished::Database(unlike("two lists of rows"))) };
        if let Some(id) = deleted.first().and_then(|row| Id::kept(row.get("id")?.as_str()?)) {
            return Ok(Err(Refused::Deleted(id)));
        }
        if !becoming.is_empty() {
            return Ok(Err(Refused::Contended));
        }
        let boards = site.boards.values().map(|board| &**board).chain(site.templates.values().map(|template| &template.board));
        let uneven = boards.into_iter().find(|board| board.is_about(&alias.old) != board.is_about(&alias.new));
        Ok(uneven.map_or(Ok((alias, false)), |board| Err(Refused::Uneven(board.name.clone()))))
    }

    /// How many entries of boards would be merged; or who is kept off which board.
    ///
    /// # Errors
    /// When Redis or the database does not answer.
    pub async fn count_entries(&self, site: &Site, alias: &Alias) -> Result<Result<u64, Refused>, Unfinished> {
        let facts = self.facts_of_both(site, alias).await?;
        let (mut entries, mut behind) = (0, None);
        loop {
            let chunk = self.templates.chunk_behind(site, behind.as_ref(), Concerned::All).await.map_err(Unfinished::Redis)?;
            let of_chunk = targets(&chunk.site, alias, &facts);
            let mut remaining: Vec<_> = of_chunk.into_iter().map(|(target, alias)| (target, alias, String::new())).collect();
            while !remaining.is_empty() {
                let trip: Vec<_> = remaining.drain(..remaining.len().min(TRIP)).collect();
                let read = self.redis.repeat(async |store| store.alias_dry(site, &trip, Alias::ENTRIES).await).await;
                let chunks = read.map_err(|error| Unfinished::Redis(Failure::of_read(&error)))?;
                for ((target, alias, _), merged) in trip.into_iter().zip(chunks) {
                    match (merged, target) {
                        (Merged::Chunk { entries: more, next }, _) => {
                            entries += more;
                            remaining.extend(next.map(|cursor| (target, alias, cursor)));
                        }
                        (Merged::Off(id), Target::Board(board)) => return Ok(Err(Refused::Off(id, board.name.clone()))),
                        (Merged::Off(_) | Merged::Full, _) => {}
                    }
                }
            }
            behind = chunk.next;
            if behind.is_none() {
                return Ok(Ok(entries));
            }
        }
    }

    /// Notes that an item becomes another one, and gives that its details, if it has none. `false` when somebody else was faster.
    ///
    /// # Errors
    /// When the database does not answer; it may be done.
    pub async fn mark_alias(&self, site: &Name, alias: &Alias) -> Result<bool, DatabaseError> {
        let mut statements = vec![sql::begin_alias(site, alias)];
        statements.extend(sql::move_details(site, alias));
        statements.push(sql::alias(site, &alias.old));
        let answer = self.change_details(&statements).await?;
        let target = answer.last().and_then(|rows| Id::kept(rows.first()?.get("target")?.as_str()?));
        Ok(target.as_ref() == Some(&alias.new))
    }

    /// Makes what a marked item has that of the other one, until `until_ms` (by the edge's clock) has come. Doing it again goes on.
    ///
    /// # Errors
    /// Why it is not done yet.
    pub async fn merge_alias(&self, site: &Site, alias: &Alias, (until_ms, allowance): (u64, &Allowance)) -> Result<(), Unfinished> {
        self.file(site, &[&alias.new]).await?;
        self.catalog.announce(site, [&alias.new].into_iter()).await.map_err(Unfinished::Redis)?;
        let facts = self.facts_of_both(site, alias).await?;
        self.join_facts(site, alias, &facts).await?;
        let marked = Marked { table: "aliases", id: &alias.old };
        self.visit_boards(site, marked, (until_ms, allowance), async |chunk| {
            let of_chunk = targets(&chunk.site, alias, &facts);
            for (target, alias) in &of_chunk {
                self.merge_on(site, *target, alias, until_ms).await?;
            }
            for (target, alias) in &of_chunk {
                let Target::Board(board) = target else { continue };
                if board.archive && board.members == Members::Items {
                    self.merge_in_archive(&chunk.site, board, alias, until_ms).await?;
                }
            }
            Ok(0)
        })
        .await?;
        self.tables.query(&[sql::end_alias(&site.name, alias)]).await.map(drop).map_err(Unfinished::Database)
    }

    /// Makes what an item has on a target that of the other one.
    async fn merge_on(&self, site: &Site, target: Target<'_>, alias: &Alias, until_ms: u64) -> Result<(), Unfinished> {
        let failed = |error: engine::adapter::Error| Unfinished::Redis(Failure::of_write(&error));
        loop {
            let merge = async |store: &Store<'_, _, _>| store.alias(site, target, alias, Alias::ENTRIES).await;
            match self.redis.repeat(merge).await.map_err(failed)? {
                Merged::Chunk { next: None, .. } | Merged::Off(_) => return Ok(()),
                Merged::Chunk { .. } if self.clock.clock_ms() >= until_ms => return Err(Unfinished::Late),
                Merged::Chunk { .. } => {}
                Merged::Full => {
                    let board = if let Target::Board(board) = target { &board.name } else { &site.name };
                    return Err(Unfinished::Full(board.clone()));
                }
            }
        }
    }

    async fn merge_in_archive(&self, site: &Site, board: &Board, alias: &Alias, until_ms: u64) -> Result<(), Unfinished> {
        let failed = |detail| Unfinished::Redis(Failure { nothing_written: false, is_transient: true, script: None, detail });
        match self.amendments.merge_archived(site, board, alias, until_ms).await {
            Ok(true) | Err(ArchiveError::Absent) => Ok(()),
            Ok(false) => Err(Unfinished::Late),
            Err(error) => Err(failed(error.detail())),
        }
    }

    /// Ends what is left to do, for the scheduled run. Answers a line for each item that is left.
    pub async fn merge_aliases_due(&self, until_ms: u64) -> Vec<String> {
        let end = async |site: &Site, row: &Row, allowance: &Allowance| {
            let id = |name: &str| Id::kept(row.get(name)?.as_str()?);
            let alias = Alias { old: id("id")?, new: id("target")? };
            let merged = self.merge_alias(site, &alias, (until_ms, allowance)).await;
            let why = merged.err().filter(|why| !matches!(why, Unfinished::Remaining))?;
            let [old, new] = [&alias.old, &alias.new].map(Id::as_str);
            Some(format!("{old:?} is not all {new:?} yet: {}", why.detail()))
        };
        self.settle_due(ALIASES, sql::unsettled_aliases, until_ms, end).await
    }

    async fn facts_of_both(&self, site: &Site, alias: &Alias) -> Result<[Facts; 2], Unfinished> {
        if !site.asks_facts() {
            return Ok([Facts::default(), Facts::default()]);
        }
        let read = |id| async move { self.catalog.facts_of(site, id).await.map_err(Unfinished::Redis) };
        Ok([read(&alias.old).await?, read(&alias.new).await?])
    }

    /// Lets the items belong to the same, and know of all that either belonged to: what counted there is undone there, and counts once.
    async fn join_facts(&self, site: &Site, alias: &Alias, [old, new]: &[Facts; 2]) -> Result<(), Unfinished> {
        if !site.asks_facts() {
            return Ok(());
        }
        let statements = [sql::filed_at(&site.name, alias), sql::names(&site.name, &alias.new)];
        let answer = self.tables.query(&statements).await.map_err(Unfinished::Database)?;
        let at_ms = answer.first().and_then(|rows| number(rows.first()?, "at")).unwrap_or_default();
        // What became the old one before is the new one as well.
        let names = answer.get(1).into_iter().flatten().filter_map(|row| Id::kept(row.get("id")?.as_str()?));
        let text = |category: Option<&String>| category.cloned().unwrap_or_default();
        let author = |credit: Option<&Credit>| credit.map_or(String::new(), |credit| credit.author.as_str().to_owned());
        let [categories, authors]: [Vec<String>; 2] = [
            old.categories().cloned().collect(),
            old.author.iter().chain(&old.earlier_authors).map(|credit| author(Some(credit))).collect(),
        ];
        let own = (text(new.category.as_ref()), author(new.author.as_ref()));
        let note = |item: &Id, (category, author): (String, String)| Noted { item: item.clone(), at_ms, category, author };
        let mut noted: Vec<Noted> = Vec::new();
        for at in (0..categories.len().max(authors.len())).rev() {
            let category = categories.get(at).unwrap_or(&own.0).clone();
            let author = authors.get(at).unwrap_or(&own.1).clone();
            noted.push(note(&alias.new, (category, author)));
        }
        noted.extend([note(&alias.new, own.clone()), note(&alias.old, own.clone())]);
        noted.extend(names.map(|name| note(&name, own.clone())));
        self.catalog.note_facts(site, &noted, None).await.map_err(Unfinished::Redis)
    }
}

/// Where something may be known of an item, and what it is known by there: on a board of authors by each of them.
fn targets<'s>(site: &'s Site, alias: &Alias, facts: &[Facts; 2]) -> Vec<(Target<'s>, Alias)> {
    let may_be_on = |board: &Board| facts.iter().any(|facts| board.may_have(facts));
    let boards = site.boards.values().map(|board| &**board).filter(|board| board.members != Members::Items || may_be_on(board));
    let mut targets = Vec::new();
    for board in boards {
        if board.members == Members::Authors {
            let mut authors: Vec<&Id> =
                facts.iter().flat_map(|facts| facts.author.iter().chain(&facts.earlier_authors)).map(|credit| &credit.author).collect();
            authors.sort_unstable();
            authors.dedup();
            let credited = |author| Alias { old: Id::credited(&alias.old, author), new: Id::credited(&alias.new, author) };
            targets.extend(authors.into_iter().map(|author| (Target::Board(board), credited(author))));
        } else {
            targets.push((Target::Board(board), alias.clone()));
        }
    }
    if site.activity {
        targets.push((Target::ActivityLog, alias.clone()));
    }
    targets
}
