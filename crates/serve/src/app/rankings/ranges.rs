//! Between which ranks many members stand: the distribution of the caches, and the members' scores.

use std::rc::Rc;

use ranking::name::Id;
use ranking::rank_range::KnownDistribution;
use ranking::site::Site;

use super::{PeriodRef, Rankings, Read, ReadError, ReadRequest};
use crate::app::cache::Entry;
use crate::app::failure::Failure;
use crate::app::ports::Runtime;
use crate::app::price;

/// Between which ranks members stand, as JSON.
pub struct RankRanges {
    pub json: Vec<u8>,
    /// See [`Entry::unbuilt`].
    pub unbuilt: bool,
}

impl<R: Runtime> Rankings<'_, R> {
    /// 1. The distribution comes from the caches, and is renewed there, like a ranking. Redis is asked for the scores.
    /// 2. Where the period ended in between, or an earlier version of the worker made the distribution, Redis is asked for that, too.
    ///
    /// # Errors
    /// When there is no such period, when the client had Redis asked too often, or when it does not answer.
    pub async fn rank_ranges(&self, site: &Rc<Site>, of: PeriodRef, ids: &[Id], by: String) -> Result<RankRanges, ReadError> {
        let request = ReadRequest { site: Rc::clone(site), read: Read::Distribution { of: of.clone() }, by };
        self.admission.take_misses(site, price::of_scores(&request, &of)).await?;
        let entry = self.ranking(&request, false).await?.entry;
        if let Some(ranges) = self.ranges_in(&entry, site, &of, ids).await? {
            return Ok(ranges);
        }
        self.admission.take_misses(site, price::of_read(&request)).await?;
        let entry = self.read(&request, None, false).await?;
        let ranges = self.ranges_in(&entry, site, &of, ids).await?;
        ranges.ok_or_else(|| failed("the distribution is of another period than the scores".into()))
    }

    /// Where members stand in a distribution; `None` where it is not of the period that Redis has.
    async fn ranges_in(&self, entry: &Entry, site: &Site, of: &PeriodRef, ids: &[Id]) -> Result<Option<RankRanges>, ReadError> {
        let known = KnownDistribution::read(&entry.json).and_then(|known| Some((known.as_of_ms()?, known)));
        let Some((as_of_ms, known)) = known else { return Ok(None) };
        let scores = self.redis.read(async |store| store.scores(site, of, ids, as_of_ms).await).await;
        let scores = scores.map_err(|error| ReadError::Failed(Failure::of_read(&error)))?;
        let Some(scores) = scores.ok().filter(|scores| known.is_of(&scores.info)) else { return Ok(None) };
        let json = scores.render(site, &of.board, &of.window, ids, &known).map_err(|error| failed(error.to_string()))?;
        Ok(Some(RankRanges { json, unbuilt: entry.unbuilt }))
    }
}

fn failed(detail: String) -> ReadError {
    ReadError::Failed(Failure { nothing_written: true, is_transient: true, script: None, detail })
}
