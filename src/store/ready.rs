//! Whether Redis can count: `lua/ready.lua`.

use super::reply::{Call, ReplyReader};
use super::scripts::ReadyArgs;
use super::{Store, keys};
use crate::adapter::{Error, Fault, Mode, Transport, script};
use crate::ranking::zone::Zones;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Tries a script and a write.
    ///
    /// # Errors
    /// Why Redis cannot do them.
    pub async fn ready(&self) -> Result<(), Error> {
        /// Long enough for an operator to see it.
        const KEPT_S: i64 = 10;
        let call = ReadyArgs { ready: keys::ready_key(self.key_prefix), kept: KEPT_S }.invocation();
        let replies = script::run(&self.transport, std::slice::from_ref(&call), Mode::Pipeline).await?;
        let reply = replies.into_iter().next().unwrap_or_else(|| Err(Error::new(Fault::Malformed, "no answer")))?;
        ReadyArgs::read(&mut ReplyReader::new(&call, reply)?).map(drop)
    }
}
