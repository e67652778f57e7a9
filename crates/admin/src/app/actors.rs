//! The details of an actor, and its erasure.

use engine::adapter::Transport;
pub use engine::store::activity::ActiveDay;
use engine::store::did::ActionsOf;
pub use engine::store::did::Done;
use ranking::counting::Target;
use ranking::name::Id;
use ranking::name::Name;
use ranking::score::Score;
use ranking::site::Site;

use super::deliveries::Deliveries;
use serve::app::failure::Failure;
use serve::app::forwarding::Forwarding;
use serve::app::ports::{Clock, Runtime};
use serve::app::redis::Redis;
use serve::app::templates::chunks::TRIP;

/// Something that an actor did, and what it counts on boards while it stands.
pub struct Entry {
    pub done: Done,
    pub points: Vec<(Name, Score)>,
}

/// Which chunk of a site's boards an actor is erased from.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub is_first: bool,
    pub is_last: bool,
}

impl Part {
    pub const WHOLE: Self = Self { is_first: true, is_last: true };
}

/// What Redis and the other stores have of an actor.
pub struct ActorData<'a, R> {
    pub(super) redis: Redis<'a, R>,
    pub(super) deliveries: Deliveries<'a, R>,
    pub(super) forwarding: Forwarding<'a, R>,
    pub(super) clock: &'a dyn Clock,
}

impl<R: Runtime> ActorData<'_, R> {
    /// What an actor did on each of the last days.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn activity(&self, site: &Site, actor: &Id, days: u32) -> Result<Vec<ActiveDay>, Failure> {
        let read = self.redis.read(async |store| store.activity(site, actor, days).await).await;
        read.map_err(|error| Failure::of_read(&error))
    }

    /// On which of some items an actor's action stands, of those that can be undone: on any board that counts it, or in the activity
    /// log. A target that was added later knows less.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn stands(&self, site: &Site, actor: &Id, action: &Name, items: &[Id]) -> Result<Vec<bool>, Failure> {
        let counts = |target: &Target| match target {
            Target::Board(board) => board.weights.get(action.as_str()).is_some(),
            Target::ActivityLog => true,
        };
        let actions: Vec<(&Name, &Id)> = items.iter().map(|item| (action, item)).collect();
        let of = |target| ActionsOf { target, actor, actions: actions.clone() };
        let asked: Vec<ActionsOf> = Target::each(site).filter(counts).map(of).collect();
        let read = self.redis.read(async |store| store.did(site, &asked).await).await;
        let found = read.map_err(|error| Failure::of_read(&error))?;
        let stands = |i: usize| found.iter().any(|target| target.get(i).is_some_and(Option::is_some));
        Ok((0..items.len()).map(stands).collect())
    }

    /// What an actor did, one by one, the latest first, from the place behind another one on. What cannot be undone has the points that the
    /// boards of now give.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn entries(&self, site: &Site, actor: &Id, after: &str, limit: u32) -> Result<Vec<Entry>, Failure> {
        let read = self.redis.read(async |store| store.entries(site, actor, after, limit).await).await;
        let done = read.map_err(|error| Failure::of_read(&error))?;
        let named = |done: &Done| Some((Name::new(&done.action)?, Id::kept(&done.item)?));
        let actions: Vec<Option<(Name, Id)>> = done.iter().map(named).collect();
        let reversible = done.iter().zip(&actions).filter(|(done, _)| done.times.is_none());
        let named: Vec<(&Name, &Id)> = reversible.filter_map(|(_, named)| named.as_ref()).map(|(action, item)| (action, item)).collect();
        let counts = if named.is_empty() {
            Vec::new()
        } else {
            let of = |board| ActionsOf { target: Target::Board(board), actor, actions: named.clone() };
            let asked: Vec<ActionsOf> = site.boards.values().map(|board| of(board)).collect();
            let read = self.redis.read(async |store| store.did(site, &asked).await).await;
            read.map_err(|error| Failure::of_read(&error))?
        };
        let mut next = 0;
        let mut entry = |(done, named): (Done, Option<(Name, Id)>)| {
            let at = next;
            let points = site.boards.iter().zip(0..).filter_map(|((name, board), of): (_, usize)| {
                let (action, item) = named.as_ref()?;
                let points = match done.times {
                    Some(times) => board.weight(action.as_str(), Some(item))?.times(u32::try_from(times).ok()?),
                    None => (*counts.get(of)?.get(at)?)?,
                };
                Some((name.clone(), points))
            });
            let points = points.collect();
            next += usize::from(done.times.is_none() && named.is_some());
            Entry { done, points }
        };
        Ok(done.into_iter().zip(actions).map(&mut entry).collect())
    }

    /// Erases an actor from the boards of a site, or of a chunk of it, part by part; with the first chunk from the activity log, with the last one
    /// from what waits elsewhere. It stops when nothing is left, or when the edge's clock has reached `until_ms`. Answers whether all of it is done. Doing
    /// it again begins anew, and does no harm.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done.
    pub async fn erase(&self, site: &Site, actor: &Id, part: Part, until_ms: u64) -> Result<bool, Failure> {
        let failed = |error: engine::adapter::Error| Failure { nothing_written: false, ..Failure::of_write(&error) };
        let store = self.redis.store().map_err(failed)?;
        // Else what has not reached all of its boards would come back.
        let decided_until = if store.transport.is_cluster() { store.end_intents(site, actor).await.map_err(failed)? } else { 0 };
        // Also from an activity log that is no longer kept.
        let log = part.is_first.then_some(Target::ActivityLog);
        let targets = site.boards.values().map(|board| Target::Board(board)).chain(log);
        let mut remaining: Vec<(Target, String)> = targets.map(|target| (target, String::new())).collect();
        while !remaining.is_empty() {
            if self.clock.clock_ms() >= until_ms {
                return Ok(false);
            }
            let trip: Vec<(Target, String)> = remaining.drain(..remaining.len().min(TRIP)).collect();
            let cursors = store.erase(site, actor, decided_until, &trip).await.map_err(failed)?;
            remaining.extend(trip.into_iter().zip(cursors).filter_map(|((target, _), cursor)| Some((target, cursor?))));
        }
        if part.is_last {
            self.deliveries.erase_dead(site, actor).await?;
            self.forwarding.erase_backlog(site, actor).await?;
        }
        Ok(true)
    }
}
