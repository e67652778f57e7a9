//! Keys of boards, windows and options that are no longer configured: they are found by their names alone.

use ranking::counting::Target;
use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::values::{Order, Policy, Values};
use ranking::window::Unit;
use ranking::zone::Zones;

use super::{Store, keys};
use crate::adapter::{Cmd, Error, Fault, Mode, Transport, Value, script};

/// Keys that Redis looks at in one piece.
const PIECE: u32 = 1_000;
/// The part of a board that ranked sums before it ranked values.
const SUMS: &str = "sum";
/// The part of what is marked for totals that are handed on no more.
const TOTALS: &str = "totals";

/// What a key that nobody needs is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    pub board: String,
    /// A window, a unit of periods, how scores were ranked, or `totals`; `None`: all of the board.
    pub part: Option<String>,
}

/// Some keys that nobody needs.
#[derive(Debug)]
pub struct Leftovers {
    /// Each with its key, and the bytes that it takes, where Redis tells.
    pub found: Vec<(Leftover, String, Option<u64>)>,
    /// Where to go on; `None` at the end.
    pub cursor: Option<String>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Looks at some more keys of a site, which has the boards of its sections, from a cursor on. A key may be found twice.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn leftovers(&self, site: &Site, cursor: &str) -> Result<Leftovers, Error> {
        let pattern = format!("{}{{{}:*", keys::keys_of(self.key_prefix, site), site.name);
        let scan = ["SCAN", cursor, "MATCH", &pattern, "COUNT", &PIECE.to_string()].into_iter().collect();
        let (cursor, names) = scanned(self.one(scan).await?).ok_or_else(|| Error::new(Fault::Malformed, "no answer of SCAN"))?;
        let of_key = |key: String| Some((leftover_of(self.key_prefix, site, &key)?, key));
        let found: Vec<(Leftover, String)> = names.into_iter().filter_map(of_key).collect();
        let usages: Vec<Cmd> = found.iter().map(|(_, key)| ["MEMORY", "USAGE", key].into_iter().collect()).collect();
        let sizes = if usages.is_empty() { Vec::new() } else { self.transport.send(&usages, Mode::Pipeline).await? };
        let size = |value: Value| if let Value::Int(bytes) = value { u64::try_from(bytes).ok() } else { None };
        let found = found.into_iter().zip(sizes).map(|((leftover, key), bytes)| (leftover, key, size(bytes))).collect();
        Ok(Leftovers { found, cursor: Some(cursor).filter(|cursor| cursor != "0") })
    }

    /// Removes keys. Redis frees their memory beside its work.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn unlink(&self, keys: &[String]) -> Result<(), Error> {
        let mut unlink = Cmd::new("UNLINK");
        unlink.args(keys);
        self.one(unlink).await.map(drop)
    }

    /// Takes a board of a section off the list of those there are, by its name.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn drop_section(&self, site: &Site, name: &str) -> Result<(), Error> {
        let key = format!("{}:sections", self.key(site, Target::ActivityLog));
        self.one(["ZREM", &key, name].into_iter().collect()).await.map(drop)
    }

    pub(super) async fn one(&self, command: Cmd) -> Result<Value, Error> {
        let replies = self.transport.send(&[command], Mode::Pipeline).await?;
        script::reply(replies.into_iter().next().ok_or_else(|| Error::new(Fault::Malformed, "no answer"))?)
    }
}

/// The cursor and the keys of an answer of `SCAN`, or the members and scores of one of `ZSCAN`. Names that are no text are nobody's here.
pub(super) fn scanned(reply: Value) -> Option<(String, Vec<String>)> {
    let text = |value: Value| if let Value::BulkString(bytes) = value { String::from_utf8(bytes).ok() } else { None };
    let Value::Array(both) = reply else { return None };
    let [cursor, Value::Array(names)] = <[Value; 2]>::try_from(both).ok()? else { return None };
    Some((text(cursor)?, names.into_iter().filter_map(text).collect()))
}

/// What a key is of, where nothing that is configured needs it.
fn leftover_of(key_prefix: &str, site: &Site, key: &str) -> Option<Leftover> {
    let (name, rest) = key.strip_prefix(&keys::keys_of(key_prefix, site))?.strip_prefix('{')?.split_once('}')?;
    let (of_site, name) = name.split_once(':')?;
    if of_site != site.name.as_str() {
        return None;
    }
    let leftover = |part: Option<&str>| Leftover { board: name.into(), part: part.map(str::to_owned) };
    // Which boards of templates there are, Redis knows. A template has a mark.
    if site.templates.get(name).is_some() || Name::of_board(name).is_some_and(|name| site.template_of(&name).is_some()) {
        return None;
    }
    let Some(board) = site.boards.get(name) else { return Some(leftover(None)) };
    let ranked = ranked_by(rest);
    let own = board.values.map(Values::key_part).unwrap_or_default();
    if ranked != own {
        return Some(leftover(Some(if ranked.is_empty() { SUMS } else { &ranked[1..] })));
    }
    let mut words = rest[own.len()..].strip_prefix(':')?.split(':');
    let (first, second) = (words.next()?, words.next()?);
    let part = match first {
        "window" => board.window(second).is_none().then_some(second),
        "changed" => (!hands_on(board, second)).then_some(TOTALS),
        unit => {
            let unit = Unit::COUNTED.into_iter().find(|counted| counted.name() == unit)?;
            let is_counted = board.counted_units().iter().any(|(counted, _)| *counted == unit);
            (!is_counted).then_some(first)
        }
    };
    part.map(|part| leftover(Some(part)))
}

/// How a key says that values are ranked, as `:max:descending:6`; empty where sums are.
fn ranked_by(rest: &str) -> &str {
    let words: Vec<&str> = rest.split(':').take(5).collect();
    let [_, policy, order, decimals, ..] = words[..] else { return "" };
    let is_policy = Policy::EACH.iter().any(|known| *known != Policy::Sum && known.name() == policy);
    let is_values = is_policy && Order::EACH.iter().any(|known| known.name() == order);
    if !is_values {
        return "";
    }
    let length = 3 + policy.len() + order.len() + decimals.len();
    let ties = if words.get(4) == Some(&"ties") { 5 } else { 0 };
    rest.get(..length + ties).unwrap_or("")
}

fn hands_on(board: &Board, unit: &str) -> bool {
    board.totals.iter().any(|totals| totals.unit.name() == unit)
}

#[cfg(test)]
mod tests {
    use super::ranked_by;

    #[test]
    fn keys_say_how_scores_are_ranked() {
        for (rest, expected) in [
            (":day:20777", ""),
            (":state", ""),
            (":last", ""),
            (":max:descending:6:day:20777", ":max:descending:6"),
            (":min:ascending:0:ties:state", ":min:ascending:0:ties"),
            (":last:descending:2:window:ties:3", ":last:descending:2"),
        ] {
            assert_eq!(ranked_by(rest), expected, "{rest}");
        }
    }
}
