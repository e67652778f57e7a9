//! Messages that the receiver of `forward` did not take: `lua/backlog.lua`.

use ranking::counting::Target;
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{BacklogArgs, BacklogMessage, BacklogReply};
use crate::adapter::{Error, Transport};

/// Bytes of messages that are kept of a site. One of a single click has about 130, so these are 120,000 clicks.
pub const KEPT_BYTES: i64 = 16 << 20;

/// What is asked of a backlog.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Who sends messages; empty: nobody does.
    pub owner: String,
    /// The place of the message before the first one that is answered, or empty.
    pub after: String,
    /// How many are answered at most; 0: the owner is done.
    pub limit: u32,
    /// The places of those that were sent.
    pub sent: Vec<String>,
    pub keep: Vec<Kept>,
    /// They are kept only where others wait.
    pub only_behind: bool,
}

/// A message to be kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Where one is that it replaces; empty of a new one.
    pub place: String,
    /// Since it could first have been sent.
    pub ago_ms: u64,
    pub text: String,
}

/// What is known of a backlog.
#[derive(Debug)]
pub struct Backlog {
    /// Whether the messages are kept.
    pub is_kept: bool,
    /// How many were dropped: too old, or too many.
    pub dropped: u64,
    pub waiting: u64,
    /// Some of those that wait, the oldest first: place and text.
    pub messages: Vec<(String, String)>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Keeps messages, takes those out that were sent, and answers some that wait. `None`: another owner sends them, and nothing was done.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn backlog(&self, site: &Site, ask: &Ask) -> Result<Option<Backlog>, Error> {
        let keep = |kept: &Kept| BacklogMessage {
            place: kept.place.clone(),
            ago: kept.ago_ms.try_into().unwrap_or(i64::MAX),
            text: kept.text.clone(),
        };
        let call = |_: &ZoneSpan| BacklogArgs {
            board: self.key(site, Target::ActivityLog),
            owner: ask.owner.clone(),
            only_behind: ask.only_behind.into(),
            after: ask.after.clone(),
            limit: ask.limit.into(),
            most: KEPT_BYTES,
            sent: ask.sent.join(" "),
            messages: ask.keep.iter().map(keep).collect(),
        };
        let BacklogReply::Ok { kept, dropped, waiting, waiting_messages } = self.call(site, self.years(), call).await? else {
            return Ok(None);
        };
        let messages = waiting_messages.into_iter().map(|message| (message.place, message.text)).collect();
        Ok(Some(Backlog { is_kept: kept, dropped, waiting, messages }))
    }
}
