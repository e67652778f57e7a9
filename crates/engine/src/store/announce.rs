//! The items that a site's own server named: `lua/announce.lua`.

use ranking::facts::Sections;
use ranking::name::Id;
use ranking::site::{Board, Members, Site};
use ranking::zone::Zones;

use super::Store;
use super::record::known_for;
use super::scripts::{AnnounceArgs, AnnounceItem};
use crate::adapter::{Error, Mode, Transport};

/// Items in a call: some tenths of a millisecond of Redis's time.
const ITEMS: usize = 1000;
/// Items that a board knows at most: about 100 MB of Redis's memory.
const MOST_KNOWN: i64 = 1_000_000;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Lets events of browsers count for these items, each once, on every board of items, in one round trip.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn announce(&self, site: &Site, items: &[&Id]) -> Result<(), Error> {
        let boards = site.boards.values().filter(|board| board.members == Members::Items && !matches!(board.sections, Sections::Of(_)));
        let calls: Vec<(&Board, &[&Id])> = boards.flat_map(|board| items.chunks(ITEMS).map(move |items| (&**board, items))).collect();
        if calls.is_empty() {
            return Ok(());
        }
        let call = |i: usize, _: &_| {
            let (board, items) = calls[i];
            AnnounceArgs {
                board: self.board_key(site, board),
                known_for: known_for(board),
                most: MOST_KNOWN,
                items: items.iter().map(|id| AnnounceItem { id: id.as_str().into() }).collect(),
            }
        };
        let answers = self.call_all(Mode::Pipeline, site, vec![self.years(); calls.len()], call).await?;
        answers.into_iter().try_for_each(|answer| answer.map(drop))
    }
}
