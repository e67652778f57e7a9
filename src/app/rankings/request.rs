//! What is asked of a site's rankings, and its cache key.

use std::fmt::Write;
use std::rc::Rc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::ranking::name::Id;
use crate::ranking::period::Period;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Window;

/// A read of a site's rankings. It holds the site and boards that it found, since a renewal outlives its request.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    pub site: Rc<Site>,
    pub read: Read,
}

#[derive(Clone, Debug)]
pub enum Read {
    /// A page of a ranking.
    Top { of: PeriodRef, offset: u32, limit: u32 },
    /// The first pages of several rankings.
    Tops { of: Vec<PeriodRef>, limit: u32 },
    /// Where members stand.
    Ranks { of: PeriodRef, ids: Vec<Id> },
    /// Where a member stands, and up to `around` members on either side of it.
    Member { of: PeriodRef, id: Id, around: u32 },
    /// What a member's score is made of.
    Explain { of: PeriodRef, id: Id },
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

impl ReadRequest {
    /// The canonical form, the key of every cache: equal for requests that mean the same.
    pub(super) fn key(&self) -> String {
        let mut key = self.site.name.to_string();
        for PeriodRef { board, window, period, hour_starts_at } in self.periods() {
            let period = hour_starts_at.or(period.map(|period| period.number)).map_or(String::new(), |number| number.to_string());
            let _ = write!(key, "/{}/{}:{period}", board.name, window.name);
        }
        // The key becomes an address, which a # would end.
        let encoded = |id: &Id| utf8_percent_encode(id.as_str(), NON_ALPHANUMERIC).to_string();
        let _ = match &self.read {
            Read::Top { offset, limit, .. } => write!(key, "?offset={offset}&limit={limit}"),
            Read::Tops { limit, .. } => write!(key, "?limit={limit}"),
            Read::Ranks { ids, .. } => {
                let ids: Vec<String> = ids.iter().map(encoded).collect();
                write!(key, "?ranks={}", ids.join(","))
            }
            Read::Member { id, around, .. } => write!(key, "?around={around}&member={}", encoded(id)),
            Read::Explain { id, .. } => write!(key, "?explain={}", encoded(id)),
        };
        key
    }

    pub(super) fn periods(&self) -> &[PeriodRef] {
        match &self.read {
            Read::Top { of, .. } | Read::Ranks { of, .. } | Read::Member { of, .. } | Read::Explain { of, .. } => std::slice::from_ref(of),
            Read::Tops { of, .. } => of,
        }
    }
}
