//! Pages with the details of their members.
//!
//! # Decisions
//!
//! - A ranking with details is a read of its own kind (`Read::Composed`). Redis does not learn what is known: details may
//!   change where nothing else does.
//! - Members are chosen after one look at Redis and one at the database, as deep as one look may go. Asking deeper until a page
//!   is full would let any reader start work without bound.

use std::collections::HashSet;

use ranking::composed::{Composition, KnownDetails};
use ranking::name::Id;
use ranking::page::{Page, rfc3339};
use ranking::read::{PeriodRef, Read, joined};
use ranking::score::Score;
use ranking::site::{Members, Site};
use ranking::view::{MAX_LOOKED_UP, View};
use serde_json::{Map, Value};

use super::{ReadError, ReadRequest};
use crate::app::database::{Argument, DatabaseError, Row, Statement};
use crate::app::items::{Details, Kind, MAX_TAGS};
use crate::app::{App, Failure, Runtime};

/// A rendered page, and whether the database said what it knows.
pub(super) type Composed = (Vec<u8>, String, bool);

impl<R: Runtime> App<R> {
    /// Composes the pages that Redis answered, with one statement for the database, if any. Where a page can be shown without
    /// details, it is when the database does not answer.
    ///
    /// # Errors
    /// When only the database could tell which members stay, and it does not answer.
    pub(in crate::app) async fn compose(&self, request: &ReadRequest, pages: &[Page]) -> Result<Option<Composed>, ReadError> {
        if let Read::Filled { of, limit } = &request.read {
            return filled(&request.site, pages, of, *limit).map(|(json, version)| Some((json, version, true))).map_err(no_json);
        }
        let Read::Composed { of, offset, limit, view } = &request.read else { return Ok(None) };
        let details = match self.details_of(request, pages).await {
            Ok(details) => details,
            Err(error) if view.is_filtered() => return Err(ReadError::Undescribed(error)),
            Err(error @ DatabaseError::Missing(_)) => return Err(ReadError::Undescribed(error)),
            Err(DatabaseError::Absent) => Some(KnownDetails::new()),
            Err(DatabaseError::Failed(detail)) => {
                self.runtime.log(&serde_json::json!({ "level": "error", "code": "database-unavailable", "detail": detail }));
                None
            }
        };
        if let (true, Some(known)) = (request.site.details_from_pages && !view.is_filtered(), &details) {
            self.want_undescribed(&request.site, of, &looked_up(pages, of, (*offset, *limit), view), known);
        }
        let is_described = !view.details || details.is_some();
        let (details, depth) = (details.as_ref(), view.depth(offset + limit));
        let composition = Composition { site: &request.site, pages, of, offset: *offset, limit: *limit, view, details, depth };
        Ok(composition.render().map_err(no_json)?.map(|(json, version)| (json, version, is_described)))
    }

    /// Wants those items to be read about that were looked up, and that nobody described.
    fn want_undescribed(&self, site: &Site, of: &[PeriodRef], looked_up: &[&Id], known: &KnownDetails) {
        if of.first().is_some_and(|of| of.board.members == Members::Items) {
            let undescribed = looked_up.iter().copied().filter(|id| !known.contains_key(*id));
            self.want_described(site, &undescribed.collect::<Vec<_>>());
        }
    }

    /// What is known of the pages' members, as far as they may be shown; of those alone that stay, where the view is narrowed.
    async fn details_of(&self, request: &ReadRequest, pages: &[Page]) -> Result<Option<KnownDetails>, DatabaseError> {
        let Read::Composed { of, offset, limit, view } = &request.read else { return Ok(None) };
        if !view.details && !view.is_filtered() {
            return Ok(None);
        }
        let ids = looked_up(pages, of, (*offset, *limit), view);
        if ids.is_empty() {
            return Ok(Some(KnownDetails::new()));
        }
        let ids: Vec<&str> = ids.into_iter().map(Id::as_str).collect();
        let kind = of.first().map_or(Kind::Item, |of| if of.board.members == Members::Items { Kind::Item } else { Kind::Actor });
        let now_ms = pages.first().map_or(0, |page| page.info.now_ms);
        let answer = self.query(&[statement(&request.site, kind, &ids, view, now_ms)]).await?;
        Ok(Some(answer.iter().flatten().filter_map(read).collect()))
    }
}

/// Members that are looked up: of the ranking's own page those that can be shown, then those that fill it up. Pages that fill up another one have much
/// of it.
fn looked_up<'p>(pages: &'p [Page], of: &[PeriodRef], (offset, limit): (u32, u32), view: &View) -> Vec<&'p Id> {
    // One may be left out.
    let shown = offset as usize..offset as usize + limit as usize + usize::from(view.exclude.is_some());
    let may_be_shown = |page: usize, at: usize, score: Score| {
        let is_before = || view.from_score.is_some_and(|from| of.get(page).is_some_and(|of| of.board.is_above(score, from)));
        page > 0 || if view.is_searched() { !is_before() } else { shown.contains(&at) }
    };
    let entries = pages.iter().enumerate().flat_map(|(page, of)| of.entries.iter().enumerate().map(move |(at, entry)| (page, at, entry)));
    let ids = entries.filter(|(page, at, entry)| may_be_shown(*page, *at, entry.score)).map(|(_, _, entry)| &entry.id);
    let mut seen = HashSet::new();
    ids.filter(|id| seen.insert(id.as_str())).take(MAX_LOOKED_UP as usize).collect()
}

fn no_json(error: serde_json::Error) -> ReadError {
    ReadError::Failed(Failure { nothing_written: true, is_transient: false, script: None, detail: error.to_string() })
}

/// The first pages of several rankings, each filled up from the pages behind its own.
fn filled(site: &Site, mut pages: &[Page], mut of: &[PeriodRef], limit: u32) -> serde_json::Result<(Vec<u8>, String)> {
    let mut rendered = Vec::new();
    while let Some(first) = of.first() {
        let its_own = (1 + first.board.fallback_of(&first.window).count()).min(of.len()).min(pages.len());
        let limit = limit.min(first.board.limit);
        let (view, (its_pages, its_of)) = (View::default(), (&pages[..its_own], &of[..its_own]));
        let composition = Composition { site, pages: its_pages, of: its_of, offset: 0, limit, view: &view, details: None, depth: limit };
        rendered.extend(composition.render().transpose());
        (pages, of) = (&pages[its_own..], &of[its_own..]);
    }
    joined(site, rendered.into_iter())
}

/// The details of those among some members who stay.
fn statement(site: &Site, kind: Kind, ids: &[&str], view: &View, now_ms: i64) -> Statement {
    let mut sql = format!("SELECT id, details FROM {} WHERE site = ?1 AND id IN (SELECT value FROM json_each(?2))", kind.table());
    let mut arguments: Vec<Argument> = vec![site.name.as_str().into(), serde_json::json!(ids).to_string().into()];
    // One by one, as each that `json_each` finds would be a row more on the bill.
    let tags: Vec<String> = (0..MAX_TAGS).map(|i| format!("details ->> '$.tags[{i}]'")).collect();
    let has_tag = format!("? IN ({})", tags.join(", "));
    let since = view.published_within_s.and_then(|seconds| rfc3339(now_ms - i64::from(seconds) * 1_000, false));
    let conditions = [
        ("category = ?", view.category.clone()),
        ("author = ?", view.author.as_ref().map(|author| author.as_str().to_owned())),
        ("published_at >= ?", since),
        (has_tag.as_str(), view.tag.clone()),
    ];
    for (condition, value) in conditions {
        if let Some(value) = value {
            arguments.push(value.into());
            let numbered = condition.replace('?', &format!("?{}", arguments.len()));
            sql.push_str(" AND ");
            sql.push_str(&numbered);
        }
    }
    Statement::new(sql, arguments)
}

fn read(row: &Row) -> Option<(Id, Map<String, Value>)> {
    let text = |name: &str| row.get(name)?.as_str();
    Some((Id::kept(text("id")?)?, Details::stored(text("details")?)?.into_json()))
}
