//! Reading rankings: the script that a request needs.

use ranking::read::PeriodRef;
use ranking::read::{Read, ReadReply, ReadRequest};
use ranking::zone::Zones;

use super::Store;
use super::top::PageRef;
use crate::adapter::{Error, Fault, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads what a request asks for, in one round trip; in two where it is several pages and only some of them are as they are known.
    /// `known` holds for each of the request's periods what is known of it, see [`PeriodInfo::known`]; no entries when nothing is.
    ///
    /// # Errors
    /// Why it could not be read.
    ///
    /// [`PeriodInfo::known`]: ranking::page::PeriodInfo::known
    pub async fn read(&self, request: &ReadRequest, known: &[&str]) -> Result<ReadReply, Error> {
        let site = &request.site;
        let known = |i: usize| known.get(i).copied().unwrap_or("");
        if let Some(part) = self.unite(site, request.periods()).await? {
            return Ok(part);
        }
        match &request.read {
            Read::Top { of, offset, limit } => {
                self.top(site, &[PageRef { of, offset: *offset, limit: *limit, known: known(0), tallied: false }]).await
            }
            Read::Tops { of, limit } | Read::Filled { of, limit } => {
                let page =
                    |(i, of): (usize, _)| PageRef { of, offset: 0, limit: (*limit).min(of.board.limit), known: known(i), tallied: false };
                self.top(site, &of.iter().enumerate().map(page).collect::<Vec<_>>()).await
            }
            Read::Composed { of, offset, limit, view } => {
                let end = offset + limit;
                let tallied = |of: &PeriodRef| view.actions && of.board.is_tallied(&of.window);
                let depth = |i: usize| if i == 0 { view.depth(end) } else { end };
                let page = |(i, of): (usize, _)| PageRef { of, offset: 0, limit: depth(i), known: known(i), tallied: tallied(of) };
                self.top(site, &of.iter().enumerate().map(page).collect::<Vec<_>>()).await
            }
            Read::Ranks { of, ids, .. } => self.ranks(site, of, ids, None, known(0)).await,
            Read::Member { of, id, around } => self.ranks(site, of, std::slice::from_ref(id), Some(*around), known(0)).await,
            Read::Place { of, by } => self.place(site, of, *by, known(0)).await,
            Read::Distribution { of } => self.distribution(site, of, known(0)).await,
            Read::Explain { of, id, before } => self.explain(site, of, (id, *before), known(0)).await,
            Read::Series { .. } => Err(Error::new(Fault::Malformed, "a series is read by itself")),
        }
    }
}
