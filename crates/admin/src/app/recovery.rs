//! What follows when the archive's periods are restored: what the database knows is applied again, and totals follow.

use std::collections::BTreeMap;
use std::rc::Rc;

use ranking::name::Id;
use ranking::period::Period;
use ranking::site::{Board, Site, Totals, TotalsTo};
use serve::app::database::{Row, Statement, Tables};
use serve::app::ports::{Clock, Log, Runtime};
use serve::app::redis::Redis;

use super::copies::document::Documents;
use super::copies::record::Ending;
use super::copies::{CONTENDED, Copies, TRIES};
use super::items::Items;

/// Totals that are looked at in one piece.
const PAGE: u32 = 500;

/// The beginning and the end of a restoration.
pub struct Recovery<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) documents: Documents<'a, R>,
    pub(in crate::app) items: Items<'a, R>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) log: &'a dyn Log,
}

impl<R: Runtime> Recovery<'_, R> {
    /// Notes that a site is restored, so that what follows is not forgotten.
    ///
    /// # Errors
    /// For the log: why that may not be noted; doing it again does no harm.
    pub async fn begin_restoration(&self, site: &Site) -> Result<(), String> {
        if !self.documents.has_documents() {
            return Ok(());
        }
        for _ in 0..TRIES {
            let mut record = self.documents.record(site).await?;
            if record.value.ending.is_some() {
                return Ok(());
            }
            record.value.ending = Some(Ending::default());
            if self.documents.put_record(site, &record).await? {
                return Ok(());
            }
        }
        Err(CONTENDED.into())
    }

    /// Hides and pins again who the copies have, on the boards of a site.
    ///
    /// # Errors
    /// For the log: why that may not be done; doing it again does no harm.
    pub async fn restore_lists(&self, site: &Site) -> Result<(), String> {
        if self.documents.has_documents() { self.copies.restore_curated(site).await } else { Ok(()) }
    }

    /// Does what follows when all periods of a site are restored, until `until_ms` (by the edge's clock) has come. Answers whether that is all.
    ///
    /// 1. Hide and pin again who the copies have. Mark deletions and aliases that the database knows as not done.
    /// 2. Mark each total that the database has as changed. So members who are on the board no more leave it.
    /// 3. Say that nothing is missing any more.
    /// 4. Do deletions and aliases. What is left of them upkeep does.
    ///
    /// # Errors
    /// For the log: why something is left; doing it again goes on.
    pub async fn end_restoration(&self, site: &Rc<Site>, until_ms: u64) -> Result<bool, String> {
        if !self.documents.has_documents() {
            return Ok(true);
        }
        // Another request may have ended its own restoration meanwhile: what that applied may be older than what this one restored.
        let mut ending = self.documents.record(site).await?.value.ending.unwrap_or_default();
        if !ending.is_applied {
            self.copies.restore_curated(site).await?;
            if self.tables.is_bound() {
                self.items.apply_again(site).await.map_err(|error| error.detail().to_owned())?;
            }
            ending.is_applied = true;
            self.put_ending(site, &ending).await?;
        }
        let archived = site.boards.values().filter(|board| board.archive);
        let in_database = |of: &&Totals| matches!(of.to, TotalsTo::Database);
        let totals = archived.flat_map(|board| board.totals.iter().filter(in_database).map(move |of| (name_of(board, of), (board, of))));
        // In the order of their names, which is that of the notes.
        for (name, (board, of)) in totals.collect::<BTreeMap<_, _>>() {
            if !self.mark_totals(site, board, of, &name, &mut ending, until_ms).await? {
                self.put_ending(site, &ending).await?;
                return Ok(false);
            }
        }
        self.copies.settle_marks(site, self.documents.record(site).await?).await?;
        if self.tables.is_bound() {
            for remaining in self.items.take_down_due(until_ms).await.into_iter().chain(self.items.merge_aliases_due(until_ms).await) {
                self.log.log(&serde_json::json!({ "level": "warn", "code": "restore", "detail": remaining }));
            }
        }
        Ok(true)
    }

    /// Marks the totals of a window that the database has, from the one on that was looked at last. Answers whether that is all.
    async fn mark_totals(
        &self,
        site: &Site,
        board: &Board,
        of: &Totals,
        name: &str,
        ending: &mut Ending,
        until_ms: u64,
    ) -> Result<bool, String> {
        let mut after = match &ending.total {
            Some((at, ..)) if at.as_str() > name => return Ok(true),
            Some((at, period, member)) if at == name => (period.clone(), member.clone()),
            _ => (String::new(), String::new()),
        };
        loop {
            let select = "SELECT period, member FROM totals WHERE site = ?1 AND board = ?2 AND window_name = ?3 AND (period, member) > (?4, ?5) \
                          ORDER BY period, member LIMIT ?6";
            let names = [site.name.as_str(), board.name.as_str(), of.window.as_str(), &after.0, &after.1];
            let mut arguments: Vec<_> = names.map(Into::into).into();
            arguments.push(PAGE.into());
            let answer = self.tables.query(&[Statement::new(select, arguments)]).await.map_err(|error| error.detail().to_owned())?;
            let rows = answer.into_iter().next().unwrap_or_default();
            let text = |row: &Row, column: &str| row.get(column).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
            let member = |row: &Row| {
                let period = Period::parse(of.unit, &text(row, "period"), site.week_starts_on)?;
                Some((period.number, Id::kept(&text(row, "member"))?))
            };
            let members: Vec<(i64, Id)> = rows.iter().filter_map(member).collect();
            if !members.is_empty() {
                let store = self.redis.store().map_err(|error| error.to_string())?;
                store.mark_totals(site, board, of, &members).await.map_err(|error| error.to_string())?;
            }
            let Some(last) = rows.last() else { return Ok(true) };
            after = (text(last, "period"), text(last, "member"));
            ending.total = Some((name.to_owned(), after.0.clone(), after.1.clone()));
            if self.clock.clock_ms() >= until_ms {
                return Ok(false);
            }
        }
    }

    async fn put_ending(&self, site: &Site, ending: &Ending) -> Result<(), String> {
        for _ in 0..TRIES {
            let mut record = self.documents.record(site).await?;
            record.value.ending = Some(ending.clone());
            if self.documents.put_record(site, &record).await? {
                return Ok(());
            }
        }
        Err(CONTENDED.into())
    }
}

fn name_of(board: &Board, of: &Totals) -> String {
    format!("{}/{}", board.name, of.window)
}
