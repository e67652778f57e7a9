//! Pages with the details of their members.
//!
//! # Decisions
//!
//! - A ranking with details is a read of its own kind (`Read::Composed`). Redis does not learn what is known: details may
//!   change where nothing else does. While what is known is believed (`members`), a page that Redis has not changed stays as it is.
//! - Members are chosen after one look at Redis and one at the database, as deep as one look may go. Asking deeper until a page
//!   is full would let any reader start work without bound.

use std::collections::{HashMap, HashSet};

use ranking::composed::{Composition, KnownDetails};
use ranking::name::Id;
use ranking::page::{Page, rfc3339};
use ranking::read::{PeriodRef, Read, joined};
use ranking::score::Score;
use ranking::site::{Members, Site};
use ranking::view::{MAX_LOOKED_UP, View};
use serde_json::{Map, Value};

use super::{Rankings, ReadError, ReadRequest};
use crate::app::database::{Argument, DatabaseError, Row, Statement};
use crate::app::details::known::KnownMember;
use crate::app::details::{Details, Kind, MAX_TAGS};
use crate::app::failure::Failure;
use crate::app::ports::Runtime;

/// A rendered page, and when the database answered what it knows of its members: of those that it was asked for first. `None` where it was not
/// asked, or did not answer for all of them.
pub(super) type Composed = (Vec<u8>, String, Option<u64>);

/// What is known of the members of a page.
#[derive(Default)]
struct Described {
    known: KnownDetails,
    /// See [`Composed`].
    at_ms: Option<u64>,
    /// The database failed, and of some members it never answered anything.
    lacks: bool,
}

impl<R: Runtime> Rankings<'_, R> {
    /// Composes the pages that Redis answered, with one statement for the database, if any. Where a page can be shown without
    /// details, it is when the database does not answer.
    ///
    /// # Errors
    /// When only the database could tell which members stay, and it does not answer.
    pub async fn compose(&self, request: &ReadRequest, pages: &[Page]) -> Result<Option<Composed>, ReadError> {
        if let Read::Filled { of, limit } = &request.read {
            return filled(&request.site, pages, of, *limit).map(|(json, version)| Some((json, version, None))).map_err(no_json);
        }
        let Read::Composed { of, offset, limit, view } = &request.read else { return Ok(None) };
        let ids = if view.details || view.is_filtered() { looked_up(pages, of, (*offset, *limit), view) } else { Vec::new() };
        let now_ms = pages.first().map_or(0, |page| page.info.now_ms);
        let kind = of.first().map_or(Kind::Item, |of| if of.board.members == Members::Items { Kind::Item } else { Kind::Actor });
        let details = if view.is_filtered() {
            self.details_filtered(&request.site, kind, &ids, view, now_ms).await
        } else if view.details {
            self.details_of(&request.site, kind, &ids).await
        } else {
            Ok(Described::default())
        };
        let details = details.map_err(ReadError::Undescribed)?;
        if request.site.details_from_pages && !view.is_filtered() && details.at_ms.is_some() {
            self.want_undescribed(&request.site, of, &ids, &details.known);
        }
        let (undescribed, depth) = (details.lacks, view.depth(offset + limit));
        let known = Some(&details.known);
        let composition =
            Composition { site: &request.site, pages, of, offset: *offset, limit: *limit, view, details: known, undescribed, depth };
        Ok(composition.render().map_err(no_json)?.map(|(json, version)| (json, version, details.at_ms)))
    }

    /// Wants those items to be read about that were looked up, and that nobody described.
    fn want_undescribed(&self, site: &Site, of: &[PeriodRef], looked_up: &[&Id], known: &KnownDetails) {
        if of.first().is_some_and(|of| of.board.members == Members::Items) {
            let undescribed = looked_up.iter().copied().filter(|id| !known.contains_key(*id));
            self.want_described(site, &undescribed.collect::<Vec<_>>());
        }
    }

    /// What is known of those members who stay, where the view is narrowed.
    async fn details_filtered(&self, site: &Site, kind: Kind, ids: &[&Id], view: &View, now_ms: i64) -> Result<Described, DatabaseError> {
        if ids.is_empty() {
            return Ok(Described::default());
        }
        let answer = self.tables.query(&[statement(site, kind, ids, view, now_ms)]).await?;
        let known = answer.iter().flatten().filter_map(read).filter_map(|(id, details)| Some((id, stored(details)?))).collect();
        Ok(Described { known, ..Described::default() })
    }

    /// What is known of some members: what this isolate read within a minute, and of the others what the database says. Where that fails, what
    /// was last read.
    async fn details_of(&self, site: &Site, kind: Kind, ids: &[&Id]) -> Result<Described, DatabaseError> {
        let (members, now_ms) = (&self.members, self.clock.clock_ms());
        let mut described = Described { at_ms: Some(now_ms), ..Described::default() };
        let mut unknown = Vec::new();
        for id in ids {
            match members.get(&site.name, kind, id, now_ms) {
                Some(member) if member.is_believed(now_ms) => described.add(id, &member),
                last => unknown.push((*id, last)),
            }
        }
        if unknown.is_empty() {
            return Ok(described);
        }
        let changes = members.changes();
        let asked: Vec<&Id> = unknown.iter().map(|(id, _)| *id).collect();
        match self.tables.query(&[statement(site, kind, &asked, &View::default(), 0)]).await {
            Ok(answer) => {
                let rows: HashMap<Id, &str> = answer.iter().flatten().filter_map(read).collect();
                for id in asked {
                    let member = KnownMember { details: rows.get(id).map(|details| (*details).into()), asked_at_ms: now_ms };
                    described.add(id, &member);
                    members.keep(&site.name, kind, id, member, changes);
                }
            }
            Err(DatabaseError::Absent) => {}
            Err(error @ DatabaseError::Missing(_)) => return Err(error),
            Err(DatabaseError::Failed(detail)) => {
                self.log.log(&serde_json::json!({ "level": "error", "code": "database-unavailable", "detail": detail }));
                described.at_ms = None;
                for (id, last) in unknown {
                    match last {
                        Some(member) => described.add(id, &member),
                        None => described.lacks = true,
                    }
                }
            }
        }
        Ok(described)
    }
}

impl Described {
    fn add(&mut self, id: &Id, member: &KnownMember) {
        if let Some(details) = member.details.as_deref().and_then(stored) {
            self.known.insert(id.clone(), details);
        }
        // The page is as old as the oldest of them.
        self.at_ms = self.at_ms.map(|at_ms| at_ms.min(member.asked_at_ms));
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

pub(super) fn no_json(error: serde_json::Error) -> ReadError {
    ReadError::Failed(Failure { nothing_written: true, is_transient: false, script: None, detail: error.to_string() })
}

/// The first pages of several rankings, each filled up from the pages behind its own.
fn filled(site: &Site, mut pages: &[Page], mut of: &[PeriodRef], limit: u32) -> serde_json::Result<(Vec<u8>, String)> {
    let mut rendered = Vec::new();
    while let Some(first) = of.first() {
        let its_own = (1 + first.board.fallback_of(&first.window).count()).min(of.len()).min(pages.len());
        let limit = limit.min(first.board.limit);
        let (view, (its_pages, its_of)) = (View::default(), (&pages[..its_own], &of[..its_own]));
        let composition = Composition {
            site,
            pages: its_pages,
            of: its_of,
            offset: 0,
            limit,
            view: &view,
            details: None,
            undescribed: false,
            depth: limit,
        };
        rendered.extend(composition.render().transpose());
        (pages, of) = (&pages[its_own..], &of[its_own..]);
    }
    joined(site, rendered.into_iter())
}

/// The details of those among some members who stay.
fn statement(site: &Site, kind: Kind, ids: &[&Id], view: &View, now_ms: i64) -> Statement {
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

fn read(row: &Row) -> Option<(Id, &str)> {
    let text = |name: &str| row.get(name)?.as_str();
    Some((Id::kept(text("id")?)?, text("details")?))
}

/// Details of their text.
fn stored(text: &str) -> Option<Map<String, Value>> {
    Details::stored(text).map(Details::into_json)
}
