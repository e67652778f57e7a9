//! What an isolate remembers of members' details: a ranking that is read again asks the database for those members alone that are new on it.
//!
//! # Decisions
//!
//! - An isolate forgets everything when it changes something itself, so whoever writes and reads there sees what was written. Others believe
//!   what they read for a minute.
//! - What is too old to be believed is shown while the database fails, for as long as rankings are shown while Redis does.
//! - There is no entry of its own in the cache of a data center. A ranking there carries its details, and how old they are
//!   ([`Known::described_at_ms`]), so that isolates which renew it unchanged ask for none.
//!
//! [`Known::described_at_ms`]: crate::app::cache::Known::described_at_ms

use std::cell::RefCell;
use std::rc::Rc;

use lru::LruCache;
use ranking::name::{Id, Name};

use super::Kind;
use crate::app::cache::KEPT_MS;

/// For so long an isolate believes what it read.
pub const BELIEVED_MS: u64 = 60_000;
/// Of one isolate, which has 128 MB for everything.
const MAX_BYTES: usize = 4 << 20;
/// Of an entry besides its texts.
const ENTRY_BYTES: usize = 160;

/// What was read of a member: its details as they are kept, or that there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMember {
    pub details: Option<Rc<str>>,
    pub asked_at_ms: u64,
}

#[derive(Default)]
pub struct KnownMembers(RefCell<Inner>);

struct Inner {
    members: LruCache<(Name, Kind, Id), KnownMember>,
    bytes: usize,
    /// How often this isolate changed details.
    changes: u64,
    changed_at_ms: u64,
}

impl Default for Inner {
    fn default() -> Self {
        Self { members: LruCache::unbounded(), bytes: 0, changes: 0, changed_at_ms: 0 }
    }
}

impl KnownMember {
    /// Whether it is not asked for again yet. A clock that goes back ends that.
    pub fn is_believed(&self, now_ms: u64) -> bool {
        now_ms.checked_sub(self.asked_at_ms).is_some_and(|age_ms| age_ms < BELIEVED_MS)
    }

    fn bytes(&self, id: &Id) -> usize {
        ENTRY_BYTES + id.as_str().len() + self.details.as_ref().map_or(0, |details| details.len())
    }
}

impl KnownMembers {
    /// What was last read of a member, within a day.
    pub fn get(&self, site: &Name, kind: Kind, id: &Id, now_ms: u64) -> Option<KnownMember> {
        let members = &mut self.0.borrow_mut().members;
        members.get(&(site.clone(), kind, id.clone())).filter(|member| now_ms.saturating_sub(member.asked_at_ms) < KEPT_MS).cloned()
    }

    /// To be given to [`KnownMembers::keep`]: what is read from now on is of this state.
    pub fn changes(&self) -> u64 {
        self.0.borrow().changes
    }

    /// Keeps what was read of a member, unless details were changed meanwhile.
    pub fn keep(&self, site: &Name, kind: Kind, id: &Id, member: KnownMember, changes: u64) {
        let inner = &mut *self.0.borrow_mut();
        if inner.changes != changes {
            return;
        }
        inner.bytes += member.bytes(id);
        if let Some(((_, _, id), replaced)) = inner.members.push((site.clone(), kind, id.clone()), member) {
            inner.bytes -= replaced.bytes(&id);
        }
        while inner.bytes > MAX_BYTES {
            let Some(((_, _, id), oldest)) = inner.members.pop_lru() else { break };
            inner.bytes -= oldest.bytes(&id);
        }
    }

    /// Forgets everything: this isolate changed details.
    pub fn change(&self, now_ms: u64) {
        let changes = self.0.borrow().changes + 1;
        *self.0.borrow_mut() = Inner { changes, changed_at_ms: now_ms, ..Inner::default() };
    }

    /// Whether details that were read at an instant, here or in another isolate, are still believed.
    pub fn believes(&self, read_at_ms: u64, now_ms: u64) -> bool {
        let is_young = now_ms.checked_sub(read_at_ms).is_some_and(|age_ms| age_ms < BELIEVED_MS);
        is_young && read_at_ms > self.0.borrow().changed_at_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(members: &KnownMembers, id: &str, bytes: usize, changes: u64) {
        let (site, id) = (Name::new("demo").expect("a name"), Id::new(id).expect("an id"));
        let member = KnownMember { details: Some("x".repeat(bytes).into()), asked_at_ms: 1_000 };
        members.keep(&site, Kind::Item, &id, member, changes);
    }

    fn get(members: &KnownMembers, id: &str) -> Option<KnownMember> {
        members.get(&Name::new("demo").expect("a name"), Kind::Item, &Id::new(id).expect("an id"), 61_000)
    }

    #[test]
    fn believed_for_a_minute() {
        let members = KnownMembers::default();
        keep(&members, "a", 1, 0);
        let known = get(&members, "a").expect("it was kept");
        for (now_ms, is_believed) in [(999, false), (1_000, true), (60_999, true), (61_000, false)] {
            assert_eq!(known.is_believed(now_ms), is_believed, "{now_ms}");
            assert_eq!(members.believes(1_000, now_ms), is_believed, "{now_ms}");
        }
        members.change(2_000);
        assert_eq!(get(&members, "a"), None);
        assert!(!members.believes(2_000, 2_000) && members.believes(2_001, 2_001));
        keep(&members, "a", 1, 0);
        assert_eq!(get(&members, "a"), None, "it was read before the change");
    }

    #[test]
    fn bounded_in_bytes() {
        let members = KnownMembers::default();
        for i in 0..100 {
            keep(&members, &format!("m{i}"), 1 << 17, 0);
            keep(&members, &format!("m{i}"), 1 << 17, 0);
        }
        assert!(members.0.borrow().bytes <= MAX_BYTES);
        assert!(get(&members, "m0").is_none() && get(&members, "m99").is_some());
        keep(&members, "huge", MAX_BYTES, 0);
        assert_eq!((members.0.borrow().bytes, members.0.borrow().members.len()), (0, 0));
    }
}
