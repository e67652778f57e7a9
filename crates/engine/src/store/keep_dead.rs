//! Dead letters, messages that cannot be counted: `lua/keep_dead.lua` and `lua/dead.lua`.

use ranking::counting::Target;
use ranking::site::Site;
use ranking::zone::Zones;

use super::scripts::{DeadArgs, KeepDeadArgs, KeepDeadLetter};
use super::{Store, keys};
use crate::adapter::{Error, Transport};

/// Letters that are kept of a site, about. Most have some hundred bytes, and a queue allows 128 KB.
const KEPT: i64 = 1000;

/// A message that cannot be counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letter {
    /// Why, in a word.
    pub code: String,
    /// The same, for people.
    pub detail: String,
    /// Unix milliseconds.
    pub sent_ms: u64,
    pub message: String,
    /// Which version of the worker could not count it, where another one may; else empty.
    pub version: String,
    /// The targets that counted it all the same, see [`Target::label`].
    pub counted: Vec<String>,
}

/// A letter where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// Unix milliseconds of its death, a dash and a number.
    pub place: String,
    pub letter: Letter,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Writes letters and takes others out, in one step. Of a site, or of those that are not known.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn keep_dead(&self, site: Option<&Site>, letters: &[Letter], dropped: &[&str]) -> Result<(), Error> {
        let written = |letter: &Letter| KeepDeadLetter {
            code: letter.code.clone(),
            detail: letter.detail.clone(),
            sent_ms: letter.sent_ms.try_into().unwrap_or(i64::MAX),
            message: letter.message.clone(),
            version: letter.version.clone(),
            counted: letter.counted.join(" "),
        };
        let letters = letters.iter().map(written).collect();
        self.call_once(KeepDeadArgs { board: self.home(site), kept: KEPT, dropped: dropped.join(" "), letters }).await.map(drop)
    }

    /// Some letters, the oldest first, from the one behind a place on.
    ///
    /// # Errors
    /// Why they could not be read.
    pub async fn dead(&self, site: Option<&Site>, after: &str, limit: u32) -> Result<Vec<DeadLetter>, Error> {
        let found = self.call_once(DeadArgs { board: self.home(site), after: after.into(), limit: limit.into() }).await?;
        let read = |letter: super::scripts::DeadLetter| DeadLetter {
            place: letter.place,
            letter: Letter {
                code: letter.code,
                detail: letter.detail,
                sent_ms: letter.sent_ms,
                message: letter.message,
                version: letter.version,
                counted: letter.counted.split_whitespace().map(String::from).collect(),
            },
        };
        Ok(found.letters.into_iter().map(read).collect())
    }

    fn home(&self, site: Option<&Site>) -> String {
        match site {
            Some(site) => keys::target_key(self.key_prefix, site, Target::ActivityLog),
            None => keys::unknown_key(self.key_prefix, self.transport.is_cluster()),
        }
    }
}
