//! The actions of an actor, one by one, and those that stand: `lua/did.lua` and `lua/entries.lua`; and the events that a board has counted:
//! `lua/seen.lua`.

use ranking::counting::{Target, TargetBatch};
use ranking::name::{Id, Name};
use ranking::score::Score;
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::record::{batch_fields, event_id, what};
use super::reply::{Call, ReplyReader};
use super::scripts::{DidAction, DidArgs, EntriesArgs, SeenArgs, SeenEvent};
use crate::adapter::{Error, Mode, Transport};

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
        Ok(self.did_and_seen(site, asked, &[]).await?.0)
    }

    /// The same, and which events of each batch its target knows by their ids, in the same trip.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn did_and_seen(
        &self,
        site: &Site,
        asked: &[ActionsOf<'_>],
        sent: &[TargetBatch<'_>],
    ) -> Result<(Vec<Vec<Option<Score>>>, Vec<Vec<bool>>), Error> {
        let did = |asked: &ActionsOf| DidArgs {
            board: self.key(site, asked.target),
            actor: asked.actor.as_str().into(),
            actor_history: site.actor_history_s.into(),
            actions: asked.actions.iter().map(|(action, item)| DidAction { what: what(action, item) }).collect(),
        };
        let seen = |batch: &TargetBatch| SeenArgs {
            board: self.key(site, batch.target),
            sender: batch_fields(site, batch).sender,
            replay_window: batch.target.replay_window(site).of(batch.sender).into(),
            events: batch.events.iter().map(|event| SeenEvent { id: event_id(batch, event) }).collect(),
        };
        let call = |i: usize, _: &ZoneSpan| match asked.get(i) {
            Some(asked) => did(asked).invocation(),
            None => seen(&sent[i - asked.len()]).invocation(),
        };
        let mut replies = self.send_all(Mode::Pipeline, site, vec![self.years(); asked.len() + sent.len()], &call).await?;
        let known = replies.split_off(asked.len());
        let standings = |reply: Result<ReplyReader, Error>| {
            Ok(DidArgs::read(&mut reply?)?.standings.into_iter().map(|standing| standing.delta).collect())
        };
        let flags =
            |reply: Result<ReplyReader, Error>| Ok(SeenArgs::read(&mut reply?)?.knowns.into_iter().map(|known| known.is_known).collect());
        Ok((replies.into_iter().map(standings).collect::<Result<_, Error>>()?, known.into_iter().map(flags).collect::<Result<_, Error>>()?))
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
