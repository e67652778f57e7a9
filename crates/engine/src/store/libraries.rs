//! The libraries of functions in Redis. Each version of the worker has one of its own, which Redis keeps.
//!
//! The hash `edgeboard:libraries` says when each was used last, in Unix seconds of Redis's clock. It lies outside of all key prefixes, since several
//! deployments may share a Redis, and its libraries. On a cluster each node has one, `edgeboard:libraries{tag}`.
//!
//! Upkeep notes each day which library is used, and deletes those that nobody used for a week.

use ranking::zone::Zones;

use super::scripts::{LIBRARY, LOCKING, MemoArgs};
use super::{Store, keys};
use crate::adapter::{Cmd, Error, Mode, Transport, Value, script};

const NOTES: &str = "edgeboard:libraries";
/// What the names of our libraries match, see `lua/build/functions.rs`.
const OURS: &str = "eb_????????????";
/// A library that was not used for so long goes. A worker that still needs it loads it again.
const KEPT_S: i64 = 7 * 86_400;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Notes that this version's library is used, and deletes those that no version used for a week. Answers the names of these. On a cluster
    /// each node has its own libraries and notes.
    ///
    /// # Errors
    /// Why Redis does not do it. Nothing is deleted while it has no memory for a note.
    pub async fn keep_libraries(&self) -> Result<Vec<String>, Error> {
        let mut deleted = Vec::new();
        for server in self.transport.servers().await?.each {
            for name in self.keep_libraries_of(&format!("{NOTES}{}", server.tag)).await? {
                if !deleted.contains(&name) {
                    deleted.push(name);
                }
            }
        }
        Ok(deleted)
    }

    /// The same of the node that has the hash `notes`: each trip has a command that names it.
    async fn keep_libraries_of(&self, notes: &str) -> Result<Vec<String>, Error> {
        let command = |words: &[&str]| words.iter().collect::<Cmd>();
        let asked = [command(&["TIME"]), command(&["HGETALL", notes]), command(&["FUNCTION", "LIST", "LIBRARYNAME", OURS])];
        let [time, noted, listed] = self.all(&asked).await?;
        let now_s = texts(time).first().and_then(|second| second.parse::<i64>().ok()).unwrap_or_default();
        let noted = texts(noted);
        let noted_at = |name: &str| noted.chunks(2).find(|pair| pair[0] == name).and_then(|pair| pair.get(1)?.parse::<i64>().ok());
        let loaded: Vec<String> = list(listed).into_iter().filter_map(|library| list(library).into_iter().nth(1).and_then(text)).collect();

        let own = if self.transport.locks().is_some() { &LOCKING } else { &LIBRARY };
        let mut note = command(&["HSET", notes, own.name, &now_s.to_string()]);
        // Nobody knows since when one is unused that has no note, so it gets one.
        for name in loaded.iter().filter(|name| name.as_str() != own.name && noted_at(name).is_none()) {
            note.arg(name).arg(now_s.to_string());
        }
        let [_] = self.all(&[note]).await?;
        let is_unused = |name: &str| name != own.name && noted_at(name).is_some_and(|at_s| now_s - at_s > KEPT_S);
        let unused: Vec<String> = noted.chunks(2).map(|pair| pair[0].clone()).filter(|name| is_unused(name)).collect();
        for name in &unused {
            let forget = command(&["HDEL", notes, name]);
            if loaded.contains(name) {
                let [_, _] = self.all(&[command(&["FUNCTION", "DELETE", name]), forget]).await?;
            } else {
                let [_] = self.all(&[forget]).await?;
            }
        }
        Ok(unused.into_iter().filter(|name| loaded.contains(name)).collect())
    }

    /// Whether Redis keeps what functions keep from call to call: plans, and what calls say of their targets.
    ///
    /// # Errors
    /// Why it cannot be asked.
    pub async fn has_memo(&self) -> Result<bool, Error> {
        let call = || MemoArgs { deployment: keys::ready_key(self.key_prefix) };
        let first = self.call_once(call()).await?.calls;
        Ok(self.call_once(call()).await?.calls > first)
    }

    /// Sends commands in one trip, of which none may be refused.
    async fn all<const N: usize>(&self, commands: &[Cmd; N]) -> Result<[Value; N], Error> {
        let replies = self.transport.send(commands, Mode::Pipeline).await?;
        let values: Vec<Value> = replies.into_iter().map(script::reply).collect::<Result<_, _>>()?;
        values.try_into().map_err(|_| Error::new(crate::adapter::Fault::Malformed, "not one answer each"))
    }
}

fn list(value: Value) -> Vec<Value> {
    if let Value::Array(items) = value { items } else { Vec::new() }
}

fn text(value: Value) -> Option<String> {
    if let Value::BulkString(bytes) = value { String::from_utf8(bytes).ok() } else { None }
}

fn texts(value: Value) -> Vec<String> {
    list(value).into_iter().filter_map(text).collect()
}
