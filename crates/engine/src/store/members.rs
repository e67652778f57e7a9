//! All members that a window shows, some at a time: `lua/members.lua`.
//!
//! All members are read with `ZSCAN`, and the worker sorts them. A scan by score would miss members that move past its place. A
//! scan by buckets meets every member that stays; one that is met twice is kept once.

use ranking::name::Id;
use ranking::page::{Meta, PeriodInfo};
use ranking::read::PeriodRef;
use ranking::score::Score;
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{MembersArgs, MembersMember, MembersReply};
use super::window::{calendar_with_seasons, kept_fields, known_fields, period_info, read_fields, read_metas, visible_fields, years_of};
use crate::adapter::{Error, Transport};

/// Some of the members of a window.
#[derive(Debug)]
pub struct Met {
    pub info: PeriodInfo,
    /// Whether anything was ever counted on the board, as far as Redis knows.
    pub is_counted: bool,
    pub members: Vec<Member>,
    /// What to multiply their scores with to get those that are shown.
    pub scale: Score,
    /// Where to go on; `None` when all were met.
    pub place: Option<String>,
}

/// A member that was met. The greatest `order` stands first; among equal ones the greatest id does.
#[derive(Debug)]
pub struct Member {
    pub id: Id,
    /// As the board keeps it.
    pub score: Score,
    pub order: Score,
    pub meta: Option<Meta>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Members that are shown behind the pinned ones, in no order, of about `count` entries from a place on. `None` where the place is
    /// of no use any more, or there is no such period: it is begun anew, with an empty one.
    ///
    /// # Errors
    /// Why they could not be read.
    pub async fn members(&self, site: &Site, of: &PeriodRef, place: &str, count: u32) -> Result<Option<Met>, Error> {
        self.unite(site, std::slice::from_ref(of)).await?;
        let call = |zone: &ZoneSpan| MembersArgs {
            board: self.board_key(site, &of.board),
            window: read_fields(of),
            known: known_fields(of, ""),
            kept: kept_fields(of),
            visible: visible_fields(of),
            place: place.into(),
            count: count.into(),
            calendar: calendar_with_seasons(site, zone, std::slice::from_ref(&of.window)),
        };
        let reply = self.call(site, years_of(site, of, self.guess_s), call).await?;
        let MembersReply::Ok { period, is_counted, place, scale, metas, members } = reply else { return Ok(None) };
        let mut metas = read_metas(&metas);
        let member = |MembersMember { id, score, order }| Member { id, score, order, meta: metas.next().flatten() };
        let members = members.into_iter().map(member).collect();
        Ok(Some(Met { info: period_info(of, period), is_counted, members, scale, place: Some(place).filter(|place| !place.is_empty()) }))
    }
}
