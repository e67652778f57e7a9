//! Whether Redis can count: `lua/ready.lua`.

use ranking::zone::Zones;

use super::scripts::{ReadyArgs, ReadyReply};
use super::{Store, keys};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Tries a script and a write. Answers when that was, in Unix milliseconds, and the `maxmemory-policy`, where Redis tells it.
    ///
    /// # Errors
    /// Why Redis cannot do them.
    pub async fn ready(&self) -> Result<(i64, Option<String>), Error> {
        /// Long enough for an operator to see it.
        const KEPT_S: i64 = 10;
        let ReadyReply { now_ms, policy } = self.call_once(ReadyArgs { ready: keys::ready_key(self.key_prefix), kept: KEPT_S }).await?;
        Ok((now_ms, Some(policy).filter(|policy| !policy.is_empty())))
    }
}
