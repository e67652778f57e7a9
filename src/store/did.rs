//! What an actor did, one by one, and what of it stands: `lua/did.lua` and `lua/entries.lua`.

use super::Store;
use super::record::what;
use super::scripts::{DidAction, DidArgs, EntriesArgs};
use crate::adapter::{Error, Mode, Transport};
use crate::ranking::counting::Target;
use crate::ranking::name::{Id, Name};
use crate::ranking::score::Score;
use crate::ranking::site::Site;
use crate::ranking::zone::Zones;

/// Something that an actor did.
#[derive(Debug)]
pub struct Done {
    /// Unix milliseconds.
    pub at_ms: i64,
    pub action: String,
    pub item: String,
    pub undone: bool,
    /// How often it happened; `None` of what can be undone.
    pub times: Option<i64>,
    /// The place behind it, for the next page.
    pub place: String,
}

/// Actions of an actor on items, as a target may have counted them.
pub struct ActionsOf<'a> {
    pub target: Target<'a>,
    pub actor: &'a Id,
    pub actions: Vec<(&'a Name, &'a Id)>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// What each action on an item counts, for as long as it stands and can be undone: a list for each that is asked for, in one trip.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn did(&self, site: &Site, asked: &[ActionsOf<'_>]) -> Result<Vec<Vec<Option<Score>>>, Error> {
        let call = |i: usize, _: &_| DidArgs {
            board: self.key(site, asked[i].target),
            actor: asked[i].actor.as_str().into(),
            actor_history: site.actor_history_s.into(),
            actions: asked[i].actions.iter().map(|(action, item)| DidAction { what: what(action, item) }).collect(),
        };
        let replies = self.call_all(Mode::Pipeline, site, vec![self.years(); asked.len()], call).await?;
        replies.into_iter().map(|reply| Ok(reply?.standings.into_iter().map(|standing| standing.delta).collect())).collect()
    }

    /// What an actor did, one by one, the latest first, as the activity log knows it.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn entries(&self, site: &Site, actor: &Id, after: &str, limit: u32) -> Result<Vec<Done>, Error> {
        let call = |_: &_| EntriesArgs {
            board: self.key(site, Target::ActivityLog),
            actor: actor.as_str().into(),
            actor_history: site.actor_history_s.into(),
            limit: limit.into(),
            after: after.into(),
        };
        let entries = self.call(site, self.years(), call).await?.entries.into_iter();
        let done = |entry: super::scripts::EntriesEntry| Done {
            place: format!("{} {}", entry.at, entry.what),
            at_ms: entry.at,
            action: entry.action,
            item: entry.item,
            undone: entry.undone,
            times: Some(entry.times).filter(|times| *times > 0),
        };
        Ok(entries.map(done).collect())
    }
}
