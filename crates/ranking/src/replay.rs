//! Replay windows: the time for which a batch or an event is recognized when it is sent again.

use super::event::SenderClass;

/// For how long ids are remembered at least, in seconds, by who sends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayWindow {
    pub browsers_s: u32,
    pub servers_s: u32,
    pub queue_s: u32,
}

impl ReplayWindow {
    /// The longest, in seconds.
    pub const MAX_S: u32 = 31 * 86_400;
    /// Pages give up within seconds what they could not send. Servers may send a day's log again on the next day. A queue keeps
    /// messages for four days, unless it is configured otherwise.
    pub const DEFAULT: Self = Self { browsers_s: 3600, servers_s: 86_400, queue_s: 4 * 86_400 };

    /// For how long a sender's ids are known to what it sends itself, by whatever way they came.
    pub fn of(self, sender: SenderClass) -> u32 {
        if sender.is_browser() { self.browsers_s } else { self.servers_s }
    }

    /// For how long what counts once is remembered after its period: an event of the class may come that late, or of browsers and
    /// servers.
    pub fn longest(self, sender: SenderClass) -> u32 {
        let direct_s = self.browsers_s.max(self.servers_s);
        if sender.is_queued() { direct_s.max(self.queue_s) } else { direct_s }
    }
}
