//! Dead letters: messages of the queue that could not be counted. They are looked at, replayed and thrown away by hand.

use super::queue::Passing;
use super::{App, Failure, Runtime};
use crate::ingest::queued::{names_actor, without_actor};
use crate::ranking::name::Id;
use crate::ranking::site::Site;
use crate::ranking::token::Tokens;
pub use crate::store::bury::{Buried, Letter};

/// Letters that are looked at together.
const PAGE: u32 = 100;

/// Which letters.
#[derive(Clone, Debug)]
pub enum Which {
    All,
    /// Those at these places.
    At(Vec<String>),
}

/// What became of letters.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Whether that is all.
    pub is_done: bool,
    /// Letters that are counted now, or would be.
    pub counted: u64,
    /// Those that still cannot be.
    pub dead: Vec<Buried>,
}

impl<R: Runtime> App<R> {
    /// Some dead letters of a site, or of those that are not known (`None`), the oldest first.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn dead(&self, site: Option<&Site>, after: &str, limit: u32) -> Result<Vec<Buried>, Failure> {
        self.read_store(async |store| store.dead(site, after, limit).await).await.map_err(|error| Failure::of_read(&error))
    }

    /// Counts dead letters, at the instants at which they were sent. What is counted is no longer there; what still cannot be stays. It
    /// stops when the edge's clock has reached `until_ms`. `is_dry`: nothing is done but looked.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done. Doing it again counts nothing twice, as long as ids are remembered.
    pub async fn replay(
        &self,
        tokens: &Tokens,
        site: Option<&Site>,
        which: &Which,
        is_dry: bool,
        until_ms: u64,
    ) -> Result<Replayed, Failure> {
        let (mut replayed, mut after) = (Replayed::default(), String::new());
        loop {
            let page = self.dead(site, &after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.place);
            let chosen = page.into_iter().filter(|buried| which.has(&buried.place)).collect();
            self.replay_page(tokens, site, chosen, is_dry, &mut replayed).await?;
            if self.runtime.clock_ms() >= until_ms {
                return Ok(replayed);
            }
        }
        Ok(Replayed { is_done: true, ..replayed })
    }

    async fn replay_page(
        &self,
        tokens: &Tokens,
        site: Option<&Site>,
        page: Vec<Buried>,
        is_dry: bool,
        replayed: &mut Replayed,
    ) -> Result<(), Failure> {
        let read = |Buried { letter, .. }: &Buried| self.read_message(tokens, &letter.message, "", letter.sent_ms, true);
        let mut passing: Vec<Passing> = page.iter().map(read).collect();
        if !is_dry {
            self.count_passing(tokens, &mut passing).await;
        }
        let (mut left, mut gone, mut failure) = (Vec::new(), Vec::new(), None);
        for (buried, passing) in page.iter().zip(passing) {
            match (passing.failure, passing.dead) {
                (Some(failed), _) => failure = Some(failed),
                (None, None) => {
                    replayed.counted += 1;
                    gone.push(buried.place.as_str());
                }
                (None, Some(letter)) if is_dry || letter.message == buried.letter.message => {
                    replayed.dead.push(Buried { place: buried.place.clone(), letter });
                }
                (None, Some(letter)) => {
                    gone.push(buried.place.as_str());
                    left.push(letter);
                }
            }
        }
        if !is_dry && !gone.is_empty() {
            self.bury(site, &left, &gone).await?;
        }
        failure.map_or(Ok(()), Err)
    }

    /// Throws dead letters away.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn throw_away(&self, site: Option<&Site>, which: &Which) -> Result<(), Failure> {
        match which {
            Which::At(places) => {
                let places: Vec<&str> = places.iter().map(String::as_str).collect();
                self.bury(site, &[], &places).await
            }
            Which::All => loop {
                let page = self.dead(site, "", PAGE).await?;
                if page.is_empty() {
                    return Ok(());
                }
                let places: Vec<&str> = page.iter().map(|buried| buried.place.as_str()).collect();
                self.bury(site, &[], &places).await?;
            },
        }
    }

    /// Takes the events of an actor out of a site's dead letters, and out of those that name the site and did not find it.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done.
    pub(super) async fn erase_dead(&self, site: &Site, actor: &Id) -> Result<(), Failure> {
        for home in [Some(site), None] {
            let mut after = String::new();
            loop {
                let page = self.dead(home, &after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after.clone_from(&last.place);
                let found: Vec<&Buried> = page.iter().filter(|buried| names_actor(&buried.letter.message, &site.name, actor)).collect();
                if found.is_empty() {
                    continue;
                }
                let left = found.iter().filter_map(|buried| {
                    let message = without_actor(&buried.letter.message, actor)?;
                    Some(Letter { message, detail: String::new(), ..buried.letter.clone() })
                });
                let left: Vec<Letter> = left.collect();
                let gone: Vec<&str> = found.iter().map(|buried| buried.place.as_str()).collect();
                self.bury(home, &left, &gone).await?;
            }
        }
        Ok(())
    }
}

impl Which {
    fn has(&self, place: &str) -> bool {
        match self {
            Self::All => true,
            Self::At(places) => places.iter().any(|at| at == place),
        }
    }
}
