//! Reading all that a site has, piece by piece.

use std::rc::Rc;

use engine::store::archive::Stored;
use engine::store::curate::{Change, List};
use engine::store::keep_off::Whom;
use ranking::name::Id;
use ranking::page::rfc3339;
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::Unit;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serve::app::ports::Runtime;
use serve::app::sites::Serving;
use serve::app::templates::Known;

use super::{FORMAT, Members, Moving, units_of, unread};
use crate::app::items::{Cursor, Kind};

/// Rows of the database, or members, that are read at once.
const PIECE: u32 = 1_000;
/// Places without anything that are passed in one piece.
const PASSED: usize = 50;

/// Where an export goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// At the configuration.
    #[default]
    Site,
    /// Behind an item, by when it was changed, or an actor.
    Items(Option<(i64, String)>),
    Actors(Option<(i64, String)>),
    /// Behind a board.
    Boards(String),
    /// Within who is kept off a board.
    KeptOff(String, String),
    /// Behind a period of a board, by its unit.
    Periods(String, Option<(char, i64)>),
    Members {
        board: String,
        unit: char,
        number: i64,
        total: u64,
        first: u64,
        place: String,
    },
}

/// A part of an export.
pub struct Piece {
    pub lines: Vec<Value>,
    /// `None`: that is all.
    pub next: Option<Place>,
}

impl<R: Runtime> Moving<'_, R> {
    /// What a site has at a place, and the place behind that.
    ///
    /// # Errors
    /// For the log: why it cannot be had.
    pub async fn export(&self, serving: &Serving, site: &Site, place: Place) -> Result<Piece, String> {
        let mut place = place;
        for _ in 0..PASSED {
            let piece = self.read_at(serving, site, place).await?;
            match piece {
                Piece { lines, next: Some(next) } if lines.is_empty() => place = next,
                piece => return Ok(piece),
            }
        }
        Ok(Piece { lines: Vec::new(), next: Some(place) })
    }

    async fn read_at(&self, serving: &Serving, site: &Site, place: Place) -> Result<Piece, String> {
        match place {
            Place::Site => {
                let configuration = serving.configuration();
                let line = json!({ "kind": "site", "format": FORMAT, "site": site.name.as_str(), "configuration": configuration });
                Ok(Piece { lines: vec![line], next: Some(Place::Items(None)) })
            }
            Place::Items(behind) => {
                let (lines, behind) = self.described(site, Kind::Item, behind).await?;
                Ok(Piece { lines, next: Some(behind.map_or(Place::Actors(None), |behind| Place::Items(Some(behind)))) })
            }
            Place::Actors(behind) => {
                let (lines, behind) = self.described(site, Kind::Actor, behind).await?;
                Ok(Piece { lines, next: Some(behind.map_or(Place::Boards(String::new()), |behind| Place::Actors(Some(behind)))) })
            }
            Place::Boards(behind) => self.board_behind(site, &behind).await,
            Place::KeptOff(board, cursor) => self.kept_off(site, board, &cursor).await,
            Place::Periods(board, behind) => self.period_behind(site, board, behind).await,
            Place::Members { board, unit, number, total, first, place } => {
                let unit = Unit::COUNTED.into_iter().find(|known| known.code() == unit);
                match (self.found(site, &board).await?, unit) {
                    (Some((site, board)), Some(unit)) => self.members((&site, &board), Period { unit, number }, total, first, &place).await,
                    _ => Ok(Piece { lines: Vec::new(), next: Some(Place::Boards(board)) }),
                }
            }
        }
    }

    /// The site with a board; `None` where it is gone.
    async fn found(&self, site: &Site, name: &str) -> Result<Option<(Site, Rc<Board>)>, String> {
        self.board(site, name).await.map_err(|failure| failure.detail)
    }

    async fn described(
        &self,
        site: &Site,
        kind: Kind,
        behind: Option<(i64, String)>,
    ) -> Result<(Vec<Value>, Option<(i64, String)>), String> {
        let from = behind.and_then(|(updated_at_ms, id)| Some(Cursor { updated_at_ms, id: Id::kept(&id)? }));
        let listed = self.items.list_described(&site.name, kind, from.as_ref(), PIECE).await;
        let (described, next) = listed.map_err(|error| error.detail().to_owned())?;
        let line = |described: crate::app::items::Described| {
            let mut line = Map::from_iter([("kind".to_owned(), kind.noun().into()), ("id".to_owned(), described.id.as_str().into())]);
            line.extend(described.details.into_json());
            Value::Object(line)
        };
        Ok((described.into_iter().map(line).collect(), next.map(|next| (next.updated_at_ms, next.id.as_str().to_owned()))))
    }

    /// A board with its lists: one of the configuration, then those of templates, in the order of their names.
    async fn board_behind(&self, site: &Site, behind: &str) -> Result<Piece, String> {
        let configured = site.boards.iter().map(|(name, _)| name.as_str());
        let next = if behind.contains(':') { None } else { configured.filter(|name| *name > behind).min().map(str::to_owned) };
        let (name, known) = if let Some(name) = next {
            (name, None)
        } else {
            let after = if behind.contains(':') { behind } else { "" };
            let listed = self.templates.list_boards(site, "", after, 1).await.map_err(|failure| failure.detail)?;
            let Some((name, known)) = listed.boards.into_iter().next() else { return Ok(Piece { lines: Vec::new(), next: None }) };
            (name, Some(known))
        };
        let Some((site, board)) = self.found(site, &name).await? else {
            return Ok(Piece { lines: Vec::new(), next: Some(Place::Boards(name)) });
        };
        let instant = |ms: u64| rfc3339(i64::try_from(ms).ok().filter(|ms| *ms > 0)?, true);
        let line = known.map(|Known { title, starts_ms, ends_ms, .. }| {
            let title = Some(title).filter(|title| !title.is_empty());
            json!({ "kind": "board", "board": name, "title": title, "starts_at": instant(starts_ms), "ends_at": instant(ends_ms) })
        });
        let mut lines: Vec<Value> = line.into_iter().collect();
        for list in [List::Hidden, List::Pinned] {
            let ids = self.corrections.curate(&site, &board, list, Change::Look).await.map_err(|failure| failure.detail)?;
            let ids = ids.filter(|ids| !ids.is_empty());
            lines.extend(ids.map(|ids| json!({ "kind": list.name(), "board": name, "ids": ids })));
        }
        Ok(Piece { lines, next: Some(Place::KeptOff(name, String::new())) })
    }

    async fn kept_off(&self, site: &Site, name: String, cursor: &str) -> Result<Piece, String> {
        let Some((site, board)) = self.found(site, &name).await? else {
            return Ok(Piece { lines: Vec::new(), next: Some(Place::Boards(name)) });
        };
        let kept = self.corrections.kept_off(&site, &board, Some(cursor).filter(|cursor| !cursor.is_empty())).await;
        let kept = kept.map_err(|failure| failure.detail)?;
        let (mut ids, mut prefixes) = (Vec::new(), Vec::new());
        for (whom, _) in kept.members {
            match whom {
                Whom::Member(id) => ids.push(id),
                Whom::Prefix(id) => prefixes.push(id),
            }
        }
        let is_there = !ids.is_empty() || !prefixes.is_empty();
        let line = is_there.then(|| json!({ "kind": "removed", "board": name, "ids": ids, "prefixes": prefixes }));
        let next = match kept.cursor {
            Some(cursor) => Place::KeptOff(name, cursor),
            None => Place::Periods(name, None),
        };
        Ok(Piece { lines: line.into_iter().collect(), next: Some(next) })
    }

    /// Finds the next period that has something: those that are over, then the current one, of each unit.
    async fn period_behind(&self, site: &Site, name: String, behind: Option<(char, i64)>) -> Result<Piece, String> {
        let Some((site, board)) = self.found(site, &name).await? else {
            return Ok(Piece { lines: Vec::new(), next: Some(Place::Boards(name)) });
        };
        let mut is_reached = behind.is_none();
        for unit in units_of(&board) {
            let behind = behind.filter(|(code, _)| *code == unit.code()).map(|(_, number)| number);
            is_reached |= behind.is_some();
            if !is_reached {
                continue;
            }
            let is_behind = |number: i64| behind.is_none_or(|behind| number > behind);
            let mut numbers = Vec::new();
            if unit == Unit::All {
                numbers.push(0);
            } else {
                let back = board.stored_periods(unit);
                let list =
                    self.redis.read(async |store| store.closed(&site, &board, unit, back).await).await.map_err(|error| unread(&error))?;
                numbers.extend(list.periods.iter().filter(|closed| closed.size > 0).map(|closed| closed.number));
                numbers.push(list.current);
            }
            for number in numbers.into_iter().filter(|number| is_behind(*number)) {
                let of = Period { unit, number };
                let total =
                    self.redis.read(async |store| store.period_size(&site, &board, of).await).await.map_err(|error| unread(&error))?;
                if total > 0 {
                    return self.members((&site, &board), of, total, 0, "").await;
                }
            }
        }
        Ok(Piece { lines: Vec::new(), next: Some(Place::Boards(name)) })
    }

    async fn members(&self, (site, board): (&Site, &Board), of: Period, total: u64, first: u64, place: &str) -> Result<Piece, String> {
        let scan = self.redis.read(async |store| store.scan(site, board, of, Stored::Period, place, PIECE).await).await;
        let scanned = scan.map_err(|error| unread(&error))?;
        let (name, unit) = (board.name.to_string(), of.unit.code());
        let behind = first + scanned.members.len() as u64;
        let is_last = scanned.place.is_none();
        let next = match scanned.place {
            Some(place) => Place::Members { board: name.clone(), unit, number: of.number, total, first: behind, place },
            None => Place::Periods(name.clone(), Some((unit, of.number))),
        };
        if behind == 0 {
            return Ok(Piece { lines: Vec::new(), next: Some(next) });
        }
        let has_tallies = scanned.members.iter().any(|member| !member.tally.is_empty());
        let mut line = Members {
            board: name,
            unit: of.unit.name().into(),
            number: of.number,
            period: of.id(None, site.week_starts_on),
            total,
            first,
            last: is_last,
            ids: Vec::new(),
            scores: Vec::new(),
            tallies: Vec::new(),
        };
        for member in scanned.members {
            line.ids.push(member.id.as_str().to_owned());
            line.scores.push(member.score);
            if has_tallies {
                line.tallies.push(member.tally);
            }
        }
        let mut line = serde_json::to_value(&line).map_err(|error| error.to_string())?;
        line["kind"] = "members".into();
        Ok(Piece { lines: vec![line], next: Some(next) })
    }
}
