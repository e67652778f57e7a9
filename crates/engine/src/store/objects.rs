//! Objects of the archive in another Redis: a string for each, `eb:archive:demo/articles/…`, and the sorted set of their names,
//! `eb:archive`.
//!
//! They have the steps and the digests of objects in a bucket, so archiving, correcting and erasing share their code.

use super::call_over;
use super::scripts::{ReplaceObjectArgs, ReplaceObjectReply};
use crate::adapter::{Cmd, Error, Mode, Transport, Value, script};

/// Names that are listed at once.
const LISTED: u32 = 1_000;

/// The objects, over a connection to that Redis.
#[derive(Clone, Copy, Debug)]
pub struct Objects<T> {
    pub transport: T,
}

impl<T: Transport> Objects<T> {
    /// What an object holds; `None` where there is none of this name.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let replies = self.send(&[["GET", &*key(name)].into_iter().collect()]).await?;
        Ok(replies.into_iter().find_map(|reply| if let Value::BulkString(bytes) = reply { Some(bytes) } else { None }))
    }

    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let mut set = Cmd::new("SET");
        set.arg(key(name)).arg(bytes);
        self.send(&[set, ["ZADD", &*names(name), "0", name].into_iter().collect()]).await.map(drop)
    }

    /// Writes an object where it is still the one that has a digest, see [`digest`], or where there is none, of an empty one. Answers
    /// whether it did: `lua/replace_object.lua`.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn replace(&self, name: &str, bytes: String, digest: &str) -> Result<bool, Error> {
        let (object, names) = (key(name), names(name));
        let call = ReplaceObjectArgs { object, names, name: name.into(), digest: digest.into(), bytes };
        Ok(matches!(call_over(&self.transport, call).await?, ReplaceObjectReply::Ok {}))
    }

    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn delete(&self, dropped: &[String]) -> Result<(), Error> {
        let Some(first) = dropped.first() else { return Ok(()) };
        let mut unlink = Cmd::new("UNLINK");
        unlink.args(dropped.iter().map(|name| key(name)));
        let mut forget = Cmd::new("ZREM");
        forget.arg(names(first)).args(dropped);
        self.send(&[unlink, forget]).await.map(drop)
    }

    /// The names of some objects that begin with a folder, `a/b/`, in order, from the one behind another on.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn list(&self, folder: &str, after: &str) -> Result<Vec<String>, Error> {
        let from = if after.is_empty() { format!("[{folder}") } else { format!("({after}") };
        // What stands behind a slash.
        let until = format!("({}0", folder.trim_end_matches('/'));
        let words = ["ZRANGEBYLEX", &*names(folder), &*from, &*until, "LIMIT", "0", &*LISTED.to_string()];
        let replies = self.send(&[words.into_iter().collect()]).await?;
        let text = |value: Value| if let Value::BulkString(bytes) = value { String::from_utf8(bytes).ok() } else { None };
        let lists = replies.into_iter().filter_map(|reply| if let Value::Array(list) = reply { Some(list) } else { None });
        Ok(lists.flatten().filter_map(text).collect())
    }

    async fn send(&self, commands: &[Cmd]) -> Result<Vec<Value>, Error> {
        let mode = if commands.len() > 1 { Mode::Transaction } else { Mode::Pipeline };
        self.transport.send(commands, mode).await?.into_iter().map(script::reply).collect()
    }
}

/// What tells an object from others that had its name.
pub fn digest(bytes: &[u8]) -> String {
    sha1_smol::Sha1::from(bytes).digest().to_string()
}

/// The string of an object whose name is `eb/…`.
fn key(name: &str) -> String {
    let (prefix, rest) = name.split_once('/').unwrap_or((name, ""));
    format!("{prefix}:archive:{rest}")
}

/// The sorted set of names.
fn names(name: &str) -> String {
    let (prefix, _) = name.split_once('/').unwrap_or((name, ""));
    format!("{prefix}:archive")
}
