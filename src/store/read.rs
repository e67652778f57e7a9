//! Reading rankings: the script that a request needs.

use super::Store;
use super::top::PageRef;
use crate::adapter::{Error, Transport};
use crate::ranking::read::{Read, ReadReply, ReadRequest};
use crate::ranking::zone::Zones;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads what a request asks for, in one round trip.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn read(&self, request: &ReadRequest) -> Result<ReadReply, Error> {
        let site = &request.site;
        let read = match &request.read {
            Read::Top { of, offset, limit } => {
                self.top(site, &[PageRef { of, offset: *offset, limit: *limit }]).await?.map(ReadReply::Pages)
            }
            Read::Tops { of, limit } => {
                let pages: Vec<PageRef> = of.iter().map(|of| PageRef { of, offset: 0, limit: (*limit).min(of.board.limit) }).collect();
                self.top(site, &pages).await?.map(ReadReply::Pages)
            }
            Read::Ranks { of, ids } => self.ranks(site, of, ids, 0).await?.map(ReadReply::Standings),
            Read::Member { of, id, around } => self.ranks(site, of, std::slice::from_ref(id), *around).await?.map(ReadReply::Standings),
            Read::Explain { of, id } => self.explain(site, of, id).await?.map(ReadReply::Explained),
        };
        Ok(read.unwrap_or_else(ReadReply::NoPeriod))
    }
}
