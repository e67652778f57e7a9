//! Making an item another one: `lua/alias.lua` and `lua/alias_actions.lua`, a bounded chunk at a time.
//!
//! # Decisions
//!
//! - The look-up of removed members finds aliases too, so it costs no command more. The new item is looked up in turn, which
//!   costs one command for events of an alias alone.
//! - One script merges a few boards at a time (`lua/alias.lua`). It adds to one member and takes away the other, so a repeated
//!   chunk finds nothing. Rolling boards are rebuilt for both members in the same chunk from their base periods: a period may
//!   end before the next chunk.
//! - The progress is in Redis, in the hash that counting reads. So any later run continues one that ended early.
//! - `SCAN` finds the actions on an item (`lua/alias_actions.lua`): no key lists the actors of an item. Until that is done, an
//!   event of an actor first moves the earlier actions of that actor, in the same tables (`lua/lib/brought.lua`). So no undo
//!   misses its action.
//! - An action that was done to both items is taken back as an undo: the record of the later one names its windows and its
//!   instant.
//! - A mark of `once` ends with the action and the item, so it can be renamed without knowing its actor. It does not name the
//!   windows that counted it. So what counted twice stays.
//! - Scripts name the new marks (`lua/lib/alias_marks.lua`). So a tracked event carries its action, and its item where items
//!   are no members.

use ranking::counting::{Target, TargetBatch};
use ranking::name::Id;
use ranking::site::{ReplayWindow, Site};
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::keep_off::Whom;
use super::record::{batch_fields, counting_fields};
use super::scripts::{AliasAction, AliasActionsAction, AliasActionsArgs, AliasArgs, AliasReply};
use super::target;
use super::window::{calendar_with_seasons, stable_offset_fields, years_with_seasons};
use crate::adapter::{Error, Mode, Transport};

/// An item, and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    pub old: Id,
    pub new: Id,
}

impl Alias {
    /// Entries in a chunk, ten for each board and one for five keys of actors: some milliseconds of Redis's time.
    pub const ENTRIES: u32 = 3000;
}

/// What became of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// It is done: so many entries of boards, and where a dry run goes on; `None`: nothing is left.
    Chunk { entries: u64, next: Option<String> },
    /// This one is kept off the board, which only a dry run looks at.
    Off(Id),
    /// No more ids may be known as removed or as aliases.
    Full,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Does a chunk, of about so many entries, of what is left to make an item another one on a target; how far that is stands in Redis.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn alias(&self, site: &Site, target: Target<'_>, alias: &Alias, entries: u32) -> Result<Merged, Error> {
        let call = |zone: &ZoneSpan| self.fields_of_alias(site, target, alias, None, entries, zone);
        Ok(match self.call(site, years_with_seasons(self.guess_s, target.windows()), call).await? {
            AliasReply::Off { id } => Merged::Off(id),
            AliasReply::Full {} => Merged::Full,
            AliasReply::Ok { phase, entries: merged, .. } => {
                if phase == "actions" {
                    self.alias_actions(site, target, alias, entries).await?;
                }
                Merged::Chunk { entries: merged, next: Some(phase).filter(|phase| !phase.is_empty()) }
            }
        })
    }

    /// Counts a chunk of the entries of several targets that would become the other one's, in one round trip. A target comes with what the item is known by there, and its cursor.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn alias_dry(&self, site: &Site, targets: &[(Target<'_>, Alias, String)], entries: u32) -> Result<Vec<Merged>, Error> {
        let years = targets.iter().map(|(target, ..)| years_with_seasons(self.guess_s, target.windows())).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let (target, alias, cursor) = &targets[i];
            self.fields_of_alias(site, *target, alias, Some(cursor), entries, zone)
        };
        let replies = self.call_all(Mode::Pipeline, site, years, call).await?;
        let counted = |reply| match reply {
            AliasReply::Off { id } => Merged::Off(id),
            AliasReply::Full {} => Merged::Full,
            AliasReply::Ok { phase, cursor, entries } => {
                debug_assert!(phase.is_empty(), "a dry run has no phases");
                Merged::Chunk { entries, next: Some(cursor).filter(|cursor| !cursor.is_empty()) }
            }
        };
        replies.into_iter().map(|reply| reply.map(counted)).collect()
    }

    fn fields_of_alias(
        &self,
        site: &Site,
        target: Target<'_>,
        alias: &Alias,
        dry: Option<&str>,
        entries: u32,
        zone: &ZoneSpan,
    ) -> AliasArgs {
        AliasArgs {
            board: self.key(site, target),
            old: alias.old.as_str().into(),
            new: alias.new.as_str().into(),
            has_actors: target.has_actors().into(),
            is_dry: dry.is_some().into(),
            cursor: dry.unwrap_or_default().into(),
            max_size: Whom::MOST.into(),
            target: target::every_period(target),
            replay_window: ReplayWindow::MAX_S.into(),
            entries: entries.into(),
            calendar: calendar_with_seasons(site, zone, target.windows()),
            actions: site.actions.iter().map(|(name, _)| AliasAction { name: name.to_string() }).collect(),
        }
    }

    /// Brings some of what actors did to the item over.
    async fn alias_actions(&self, site: &Site, target: Target<'_>, alias: &Alias, entries: u32) -> Result<(), Error> {
        let batch = TargetBatch::empty(target);
        let call = |zone: &ZoneSpan| AliasActionsArgs {
            board: self.key(site, target),
            target: target::fields(target, site),
            stable_offset: stable_offset_fields(zone, self.guess_s),
            counting: counting_fields(site, &batch),
            batch: batch_fields(site, &batch),
            calendar: calendar_with_seasons(site, zone, target.windows()),
            actor_history: site.actor_history_s.into(),
            journal: target.journal_s(site).into(),
            old: alias.old.as_str().into(),
            new: alias.new.as_str().into(),
            has_actors: target.has_actors().into(),
            entries: entries.into(),
            actions: site.actions.iter().map(|(name, _)| AliasActionsAction { name: name.to_string() }).collect(),
        };
        // What is taken back may lie as far back as what can be undone.
        let oldest_s = self.guess_s - i64::from(site.actor_history_s) - 366 * 86_400;
        self.call(site, Years::around(oldest_s.max(0), self.guess_s), call).await.map(drop)
    }
}
