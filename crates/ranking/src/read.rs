//! Reads of a site's rankings, and the answers of Redis.

use std::rc::Rc;

use super::choice::choice;
use super::distribution::Distribution;
use super::explained::Explained;
use super::name::{Id, Name};
use super::page::{Page, PeriodInfo, version_of};
use super::period::Period;
use super::season::Season;
use super::series::Span;
use super::site::{Board, Site};
use super::standing::{Asked, Place, Standings};
use super::view::View;
use super::window::{Kind, Unit, Window};

/// A read of a site's rankings. It holds the site and boards that it found, since a renewal outlives its request.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    pub site: Rc<Site>,
    pub read: Read,
    /// A digest of who asks, for what each may ask of Redis only so often.
    pub by: String,
}

#[derive(Clone, Debug)]
pub enum Read {
    /// A page of a ranking.
    Top { of: PeriodRef, offset: u32, limit: u32 },
    /// The first pages of several rankings, each as deep as its board serves.
    Tops { of: Vec<PeriodRef>, limit: u32 },
    /// The same of rankings that are filled up: behind each of them the periods that it is filled from.
    Filled { of: Vec<PeriodRef>, limit: u32 },
    /// A page with what is known of its members, and filled up: the periods are the ranking's own, then those that it is filled from.
    Composed { of: Vec<PeriodRef>, offset: u32, limit: u32, view: View },
    /// Where members stand; `among`: among themselves, too.
    Ranks { of: PeriodRef, ids: Vec<Id>, among: bool },
    /// Which rank a score would have, or which score has a rank.
    Place { of: PeriodRef, by: Asked },
    /// How many members lie in each interval of the scores.
    Distribution { of: PeriodRef },
    /// Where a member stands, and up to `around` members on either side of it.
    Member { of: PeriodRef, id: Id, around: u32 },
    /// What a member's score is made of; `before`: by base periods before that one alone.
    Explain { of: PeriodRef, id: Id, before: Option<i64> },
    /// What members had in each of some periods; `is_list`: as a list, even of one.
    Series { of: PeriodRef, ids: Vec<Id>, span: Span, is_list: bool },
}

/// A period of a window of a board.
#[derive(Clone, Debug)]
pub struct PeriodRef {
    pub board: Rc<Board>,
    pub window: Window,
    /// `None`: the current period.
    pub period: Option<Period>,
    /// When the period is an hour: the start that its id names, in Unix seconds. The number alone also stands for hours
    /// that start at other minutes, in other zones.
    pub hour_starts_at: Option<i64>,
}

/// Which reads replicas of a cluster answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicaReads {
    None,
    /// Of periods that are over.
    Past,
    All,
}

choice!(ReplicaReads { None = "none", Past = "past", All = "all" });

impl PeriodRef {
    /// Whether it is all time of an archived board. Redis answers for all else that such a board had: its periods are over, and its other windows are empty.
    pub fn is_in_archive(&self) -> bool {
        self.board.is_archived && self.window.kind == Kind::Calendar(Unit::All)
    }

    /// Whether the archive may have what is asked for.
    pub fn may_be_archived(&self) -> bool {
        self.is_in_archive() || self.period.is_some_and(|period| self.board.archives(period.unit))
    }

    /// Whether a period is asked for that is over for sure at an instant (Unix seconds): where its number alone does not tell, that is some days later.
    pub fn is_over(&self, site: &Site, now_s: i64) -> bool {
        const DAY_S: i64 = 86_400;
        let Some(period) = self.period else { return false };
        if period.unit == Unit::Season {
            return self.season_near(now_s).is_some_and(|season| season.starts == period.number && season.ends + DAY_S <= now_s);
        }
        let length_s = i64::try_from(period.unit.needed_s(0)).unwrap_or(i64::MAX);
        period.about(site.week_starts_on).is_some_and(|about| about.saturating_add(length_s) <= now_s)
    }

    /// The season that is asked for, or the one of about an instant (Unix seconds), or the last one before it; the first one where none
    /// began. `None` where the periods are no seasons.
    pub fn season_near(&self, about_s: i64) -> Option<Season> {
        const DAY_S: i64 = 86_400;
        let seasons = &self.window.seasons;
        let asked = self.period.and_then(|period| seasons.iter().find(|season| season.starts == period.number));
        let began = seasons.iter().rev().find(|season| season.starts <= about_s + DAY_S);
        asked.or(began).or(seasons.first()).copied()
    }
}

/// Why a period cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPeriod {
    /// It has not begun.
    Ahead,
    /// It is no longer kept.
    Expired,
    /// It is archived, and not what its members' scores are made of.
    Untallied,
}

/// What Redis answered to a [`ReadRequest`].
#[derive(Debug)]
pub enum ReadReply {
    /// The period that was asked for cannot be had.
    NoPeriod(NoPeriod),
    /// What the reader knows of each of the request's periods is still so.
    Unchanged(Vec<PeriodInfo>),
    /// In the order of the request's.
    Pages(Vec<Page>),
    /// Of several boards these are on nodes of a cluster that do not answer, where others do. `detail` is for the log.
    Part {
        unavailable: Vec<Name>,
        detail: String,
    },
    Standings(Standings),
    Place(Place),
    Distribution(Distribution),
    Explained(Explained),
}

impl ReadRequest {
    /// The periods that are read.
    pub fn periods(&self) -> &[PeriodRef] {
        match &self.read {
            Read::Top { of, .. }
            | Read::Ranks { of, .. }
            | Read::Member { of, .. }
            | Read::Place { of, .. }
            | Read::Distribution { of }
            | Read::Explain { of, .. }
            | Read::Series { of, .. } => std::slice::from_ref(of),
            Read::Tops { of, .. } | Read::Filled { of, .. } | Read::Composed { of, .. } => of,
        }
    }

    /// The same of several rankings without those of some boards.
    #[must_use]
    pub fn without(&self, boards: &[Name]) -> Self {
        let mut rest = self.clone();
        if let Read::Tops { of, .. } | Read::Filled { of, .. } = &mut rest.read {
            of.retain(|of| !boards.contains(&of.board.name));
        }
        rest
    }

    /// For how long the answer is fresh: the least that a board of it says.
    pub fn fresh_ms(&self) -> u64 {
        let seconds = self.periods().iter().map(|of| of.board.fresh_s).min();
        u64::from(seconds.unwrap_or(Board::FRESH_S)) * 1000
    }
}

impl ReadReply {
    /// Notes that a replica answered it that had not heard its master for so many seconds.
    pub fn note_replica(&mut self, silent_s: u32) {
        let infos: Vec<&mut PeriodInfo> = match self {
            Self::NoPeriod(_) | Self::Part { .. } => Vec::new(),
            Self::Unchanged(infos) => infos.iter_mut().collect(),
            Self::Pages(pages) => pages.iter_mut().map(|page| &mut page.info).collect(),
            Self::Standings(standings) => vec![&mut standings.info],
            Self::Place(place) => vec![&mut place.info],
            Self::Distribution(distribution) => vec![&mut distribution.info],
            Self::Explained(explained) => vec![&mut explained.info],
        };
        for info in infos {
            info.replicated_ms = Some(info.now_ms - i64::from(silent_s) * 1_000);
        }
    }

    /// What was found of each period of the request, in its order.
    pub fn periods(&self) -> Vec<&PeriodInfo> {
        match self {
            Self::NoPeriod(_) | Self::Part { .. } => Vec::new(),
            Self::Unchanged(infos) => infos.iter().collect(),
            Self::Pages(pages) => pages.iter().map(|page| &page.info).collect(),
            Self::Standings(standings) => vec![&standings.info],
            Self::Place(place) => vec![&place.info],
            Self::Distribution(distribution) => vec![&distribution.info],
            Self::Explained(explained) => vec![&explained.info],
        }
    }

    /// Its JSON and version; `None` when the member that was asked for is not on the board.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render(&self, request: &ReadRequest) -> serde_json::Result<Option<(Vec<u8>, String)>> {
        let site = &request.site;
        let Some(PeriodRef { board, window, .. }) = request.periods().first() else { return Ok(None) };
        match (self, &request.read) {
            (Self::Pages(pages), Read::Tops { of, .. }) => {
                let rendered = pages.iter().zip(of).map(|(page, of)| page.render(site, &of.board, &of.window));
                joined(site, rendered).map(Some)
            }
            (Self::Pages(pages), _) => pages.first().map(|page| page.render(site, board, window)).transpose(),
            (Self::Standings(standings), Read::Ranks { ids, among, .. }) => standings.render(site, board, window, ids, *among).map(Some),
            (Self::Place(place), Read::Place { by, .. }) => place.render(site, board, window, *by).map(Some),
            (Self::Distribution(distribution), _) => distribution.render(site, board, window).map(Some),
            (Self::Standings(standings), Read::Member { id, .. }) => standings.render_first(site, board, window, id),
            (Self::Explained(explained), Read::Explain { id, .. }) => explained.render(site, board, window, id),
            (Self::NoPeriod(_) | Self::Part { .. } | Self::Unchanged(_) | Self::Standings(_) | Self::Place(_) | Self::Explained(_), _) => {
                Ok(None)
            }
        }
    }
}

/// Several rankings: `{ "site": …, "boards": [ … ] }`. By hand: the pages are JSON already.
///
/// # Errors
/// When one of them has no JSON.
pub fn joined(site: &Site, rendered: impl Iterator<Item = serde_json::Result<(Vec<u8>, String)>>) -> serde_json::Result<(Vec<u8>, String)> {
    let (mut json, mut versions) = (b"{\"site\":".to_vec(), String::new());
    json.extend(serde_json::to_vec(site.name.as_str())?);
    json.extend(b",\"boards\":[");
    for (i, rendered) in rendered.enumerate() {
        let (page, version) = rendered?;
        json.extend(if i == 0 { "" } else { "," }.bytes());
        json.extend(page);
        versions.push_str(&version);
    }
    json.extend(b"]}");
    Ok((json, version_of(versions.as_bytes())))
}
