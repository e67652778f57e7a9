//! Dead letters: messages of the queue that could not be counted. They are looked at, replayed and thrown away by hand.
//!
//! # Decisions
//!
//! - Dead letters hold what was not counted and nothing else, under ids of their own. So a replay counts nothing twice.
//! - A letter of a script that failed lists the boards that counted the message, since ids are forgotten.
//! - A new deployment is a new build: `scripts/build.mjs` gives each one a version, and letters name it. An isolate has one
//!   version. So upkeep looks for letters of other versions once in an isolate, and an idle month costs no command more.

pub use engine::store::keep_dead::{DeadLetter, Letter};
use ranking::name::Id;
use ranking::site::Site;
use ranking::token::Tokens;
use serde_json::json;
use serve::BUILD;
use serve::app::agenda::Resting;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

use super::{Deliveries, InFlight, SCRIPT_FAILED};
pub use serve::ingest::MAX_SEQ;
use serve::ingest::queued::{Opened, names_actor, with_seq, without_actor};

/// Letters that are looked at together.
const PAGE: u32 = 100;

/// Which letters.
#[derive(Clone, Debug)]
pub enum Which {
    All,
    /// Those at these places.
    At(Vec<String>),
    /// Those on which a script of another version failed.
    Failed,
}

/// What is to be replayed, and how.
#[derive(Clone, Debug)]
pub struct Replay {
    pub which: Which,
    /// Nothing is done but looked.
    pub is_dry: bool,
    /// What the first event gets as its `seq` that needs one and has none. Each further one gets the next.
    pub seq: Option<u64>,
}

/// What became of letters.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Whether that is all.
    pub is_done: bool,
    /// Letters that are counted now, or would be.
    pub counted: u64,
    /// Those that still cannot be.
    pub dead: Vec<DeadLetter>,
    /// What the next event would have got, where events got a `seq`.
    pub next_seq: Option<u64>,
}

impl<R: Runtime> Deliveries<'_, R> {
    /// Some dead letters of a site, or of those that are not known (`None`), the oldest first.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn dead(&self, site: Option<&Site>, after: &str, limit: u32) -> Result<Vec<DeadLetter>, Failure> {
        self.redis.read(async |store| store.dead(site, after, limit).await).await.map_err(|error| Failure::of_read(&error))
    }

    /// Counts dead letters, at the instants at which they were sent. What is counted is no longer there; what still cannot be stays. It
    /// stops when the edge's clock has reached `until_ms`.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done. Doing it again counts nothing twice, as long as ids are remembered.
    pub async fn replay(&self, tokens: &Tokens, site: Option<&Site>, mut replay: Replay, until_ms: u64) -> Result<Replayed, Failure> {
        let (mut replayed, mut after) = (Replayed::default(), String::new());
        loop {
            let page = self.dead(site, &after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.place);
            let chosen = page.into_iter().filter(|dead_letter| replay.which.has(dead_letter)).collect();
            self.replay_page(tokens, site, chosen, &mut replay, &mut replayed).await?;
            replayed.next_seq = replay.seq;
            if self.clock.clock_ms() >= until_ms {
                return Ok(replayed);
            }
        }
        Ok(Replayed { is_done: true, next_seq: replay.seq, ..replayed })
    }

    async fn replay_page(
        &self,
        tokens: &Tokens,
        site: Option<&Site>,
        mut page: Vec<DeadLetter>,
        replay: &mut Replay,
        replayed: &mut Replayed,
    ) -> Result<(), Failure> {
        for DeadLetter { letter, .. } in &mut page {
            if let Some(numbered) = replay.seq.as_mut().and_then(|next| self.numbered(&letter.message, next)) {
                letter.message = numbered;
            }
        }
        let (by_hand, is_dry) = (!matches!(replay.which, Which::Failed), replay.is_dry);
        let read = |DeadLetter { letter, .. }: &DeadLetter| self.read_letter(tokens, letter, by_hand);
        let mut in_flight: Vec<InFlight> = page.iter().map(read).collect();
        if !is_dry {
            self.count_in_flight(tokens, &mut in_flight, u64::MAX).await;
        }
        let (mut remaining, mut dropped, mut failure) = (Vec::new(), Vec::new(), None);
        for (dead_letter, in_flight) in page.iter().zip(in_flight) {
            match (in_flight.failure, in_flight.dead) {
                (Some(failed), _) => failure = Some(failed),
                (None, None) => {
                    replayed.counted += 1;
                    dropped.push(dead_letter.place.as_str());
                }
                (None, Some(letter)) if is_dry || is_as_before(&letter, &dead_letter.letter) => {
                    replayed.dead.push(DeadLetter { place: dead_letter.place.clone(), letter });
                }
                (None, Some(letter)) => {
                    dropped.push(dead_letter.place.as_str());
                    remaining.push(letter);
                }
            }
        }
        if !is_dry && !dropped.is_empty() {
            self.keep_dead(site, &remaining, &dropped).await?;
        }
        failure.map_or(Ok(()), Err)
    }

    /// A letter's message with a `seq` at each event that needs one.
    fn numbered(&self, message: &str, next: &mut u64) -> Option<String> {
        let named = Opened::read(message, "", 0).ok()?.site;
        with_seq(message, self.config.sites.get(named.as_str())?, next)
    }

    /// Counts the letters of all sites on which a script of an earlier version failed, for the scheduled run. They are looked for once in each
    /// isolate, which knows one version, and where there is a queue. Answers a line for each site of which they could not be.
    pub async fn replay_failed_due(&self, tokens: &Tokens, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values() {
            let rest = Resting::DeadLetters(site.name.clone());
            if self.queue.queue().is_none() || self.agenda.rests(&rest, self.clock.clock_ms()) {
                continue;
            }
            match self.replay(tokens, Some(site), Replay { which: Which::Failed, is_dry: false, seq: None }, until_ms).await {
                Ok(Replayed { is_done, counted, dead, .. }) => {
                    if is_done {
                        self.agenda.rest(rest, self.clock.clock_ms(), u64::MAX);
                    }
                    if counted > 0 || !dead.is_empty() {
                        let line = json!({ "level": "warn", "code": "replayed", "site": site.name.as_str(), "messages": counted, "dead": dead.len() });
                        self.log.log(&line);
                    }
                }
                Err(failure) => failures.push(format!("dead letters of {}: {}", site.name, failure.detail)),
            }
        }
        failures
    }

    /// Throws dead letters away.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn throw_away(&self, site: Option<&Site>, which: &Which) -> Result<(), Failure> {
        match which {
            // Nobody asks for that.
            Which::Failed => Ok(()),
            Which::At(places) => {
                let places: Vec<&str> = places.iter().map(String::as_str).collect();
                self.keep_dead(site, &[], &places).await
            }
            Which::All => loop {
                let page = self.dead(site, "", PAGE).await?;
                if page.is_empty() {
                    return Ok(());
                }
                let places: Vec<&str> = page.iter().map(|dead_letter| dead_letter.place.as_str()).collect();
                self.keep_dead(site, &[], &places).await?;
            },
        }
    }

    /// Takes the events of an actor out of a site's dead letters, and out of those that name the site and did not find it.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done.
    pub(in crate::app) async fn erase_dead(&self, site: &Site, actor: &Id) -> Result<(), Failure> {
        for home in [Some(site), None] {
            let mut after = String::new();
            loop {
                let page = self.dead(home, &after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after.clone_from(&last.place);
                let found: Vec<&DeadLetter> =
                    page.iter().filter(|dead_letter| names_actor(&dead_letter.letter.message, &site.name, actor)).collect();
                if found.is_empty() {
                    continue;
                }
                let remaining = found.iter().filter_map(|dead_letter| {
                    let message = without_actor(&dead_letter.letter.message, actor)?;
                    Some(Letter { message, detail: String::new(), ..dead_letter.letter.clone() })
                });
                let remaining: Vec<Letter> = remaining.collect();
                let dropped: Vec<&str> = found.iter().map(|dead_letter| dead_letter.place.as_str()).collect();
                self.keep_dead(home, &remaining, &dropped).await?;
            }
        }
        Ok(())
    }
}

impl Which {
    fn has(&self, DeadLetter { place, letter }: &DeadLetter) -> bool {
        match self {
            Self::All => true,
            Self::At(places) => places.iter().any(|at| at == place),
            Self::Failed => letter.code == SCRIPT_FAILED && letter.version != BUILD,
        }
    }
}

/// Whether trying a letter anew changed nothing that it holds.
fn is_as_before(letter: &Letter, before: &Letter) -> bool {
    letter.message == before.message && letter.version == before.version && letter.counted == before.counted
}
