//! Taking back counted events, by actor, visitor or item: `lua/revoke.lua`, a bounded chunk at a time.
//!
//! # Decisions
//!
//! - An event is taken back as an undo: from the units and windows that took it, at its instant. The journal notes for every
//!   event what the record of a reversible action holds.
//! - A revoked event leaves the journal in the same call. So a chunk can be repeated, and no mark of what was taken back is
//!   needed.
//! - Entries of a stream cannot be changed. The rest of one is written anew at the end of the stream. Nothing depends on its
//!   position: an event holds its own instants.
//! - Undone actions are noted in a set, since an undo may come long after its action, in another chunk.
//! - The journal begins with the configuration that asks for it, and ends with the first call that does not keep it. The state
//!   says since when it is whole.

use ranking::counting::{Target, TargetBatch};
use ranking::name::Id;
use ranking::site::Site;
use ranking::visitor::Fingerprint;
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::record::{batch_fields, counting_fields, what};
use super::scripts::{RevokeArgs, RevokeCulprit, RevokeReply};
use super::target;
use super::window::{calendar_with_seasons, stable_offset_fields};
use crate::adapter::{Error, Mode, Transport};

/// Events of the journal that a chunk looks at: a few milliseconds of Redis's time when all of them are taken back.
const ENTRIES: i64 = 200;

/// Whose or what's events are taken back.
#[derive(Clone)]
pub enum Culprit {
    Actor(Id),
    /// Whose address and agent these are, on days whose salt is still there.
    Visitor(Fingerprint),
    Item(Id),
}

/// What is to be taken back.
#[derive(Clone)]
pub struct Revocation {
    pub culprit: Culprit,
    /// What an item is known by on boards of authors.
    pub known_as: Vec<Id>,
    /// Unix milliseconds.
    pub from_ms: i64,
    /// Unix milliseconds; not in it.
    pub until_ms: i64,
    /// Whether nothing is to be done but looked.
    pub is_dry: bool,
}

/// What a chunk took back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revoked {
    /// Of the next chunk; `None`: nothing is left.
    pub cursor: Option<String>,
    /// Unix milliseconds: what was recorded since is in the journal. `None` where there is none.
    pub reaches_ms: Option<i64>,
    pub events: u64,
    /// Whose they were, some twice.
    pub members: Vec<Id>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Takes a chunk back from each target, in one round trip. A target comes with its cursor, which is empty at first.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn revoke(&self, site: &Site, revocation: &Revocation, targets: &[(Target<'_>, String)]) -> Result<Vec<Revoked>, Error> {
        let call = |i: usize, zone: &ZoneSpan| {
            let (target, cursor) = &targets[i];
            let batch = TargetBatch::empty(*target);
            RevokeArgs {
                board: self.key(site, *target),
                target: target::fields(*target, site),
                stable_offset: stable_offset_fields(zone, self.guess_s),
                counting: counting_fields(site, &batch),
                batch: batch_fields(site, &batch),
                calendar: calendar_with_seasons(site, zone, target.windows()),
                actor_history: site.actor_history_s.into(),
                journal: site.journal_s.into(),
                from_ms: revocation.from_ms,
                until_ms: revocation.until_ms,
                is_dry: revocation.is_dry.into(),
                cursor: cursor.clone(),
                entries: ENTRIES,
                culprits: asked(site, *target, revocation),
            }
        };
        // The journal holds what was reported late as well.
        let years = Years::around(revocation.from_ms / 1000, self.guess_s);
        let replies = self.call_all(Mode::Pipeline, site, vec![years; targets.len()], call).await?;
        replies.into_iter().map(|reply| reply.map(revoked)).collect()
    }
}

/// What the journal calls it. An item's events are known by what was done, and on boards of items by their member.
fn asked(site: &Site, target: Target<'_>, Revocation { culprit, known_as, .. }: &Revocation) -> Vec<RevokeCulprit> {
    let asked = |kind: &str, value: String| RevokeCulprit { kind: kind.into(), value };
    match culprit {
        Culprit::Actor(id) => vec![asked("who", format!("actor:{}", id.as_str()))],
        Culprit::Visitor(fingerprint) => vec![asked("visitor", fingerprint.as_str().into())],
        Culprit::Item(id) => {
            let items = || known_as.iter().chain([id]);
            let whats = site.actions.iter().flat_map(|(action, _)| items().map(move |item| asked("what", what(action, item))));
            whats.chain((!target.has_actors()).then(|| asked("member", id.as_str().into()))).collect()
        }
    }
}

fn revoked(reply: RevokeReply) -> Revoked {
    let RevokeReply { cursor, reaches_ms, found, members } = reply;
    Revoked {
        cursor: Some(cursor).filter(|cursor| !cursor.is_empty()),
        reaches_ms: reaches_ms.and_then(|ms| i64::try_from(ms).ok()),
        events: found,
        members: members.into_iter().map(|member| member.id).collect(),
    }
}
