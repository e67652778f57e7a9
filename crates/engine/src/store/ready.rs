//! Whether Redis can count: `lua/ready.lua`.

use ranking::counting::Target;
use ranking::facts::Sections;
use ranking::name::Name;
use ranking::site::{Action, Site};
use ranking::template::Template;
use ranking::zone::Zones;

use super::reply::{Call, ReplyReader};
use super::scripts::{ReadyArgs, ReadyReply};
use super::{Store, keys};
use crate::adapter::cluster::in_waves;
use crate::adapter::{Cmd, Error, Fault, Invocation, Mode, Server, Servers, Transport, Value, script};

/// What a Redis says that can count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// When that was, in Unix milliseconds; of several nodes, the one whose clock is furthest from the caller's.
    pub now_ms: i64,
    /// The `maxmemory-policy`, where it tells it; of several nodes, one that evicts.
    pub policy: Option<String>,
    /// The parts of a cluster that cannot count.
    pub unserved: Vec<Unserved>,
    /// Where no replica has what is written, and one is asked for.
    pub unreplicated: Vec<Unserved>,
    /// How many milliseconds the clocks of a cluster's nodes are apart, at least.
    pub apart_ms: u64,
    /// Whether it has functions, and lets us have some; else scripts are run.
    pub has_functions: bool,
    /// Whether functions keep anything from call to call. Also where there are none.
    pub has_memo: bool,
    /// Its servers, and how many of them one send reaches at the same time.
    pub servers: Servers,
}

/// Slots that no node has, or whose node cannot count; all of them where Redis is no cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unserved {
    /// As `0-5460 7000`; empty where Redis is no cluster.
    pub slots: String,
    /// For the log.
    pub why: String,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Tries a script and a write, on each node of a cluster; where `is_replicated`, once more with a replica. Nodes of a cluster are asked
    /// for their clocks as well, in another trip; `now_ms` is the caller's.
    ///
    /// # Errors
    /// Why Redis cannot do them, and no node of a cluster can.
    pub async fn ready(&self, is_replicated: bool, now_ms: impl Fn() -> u64) -> Result<Ready, Error> {
        /// Long enough for an operator to see it.
        const KEPT_S: i64 = 10;
        let servers = self.transport.servers().await?;
        let each = &servers.each;
        let call = |server: &Server| ReadyArgs { ready: keys::ready_key(self.key_prefix) + &server.tag, kept: KEPT_S }.invocation();
        let calls: Vec<_> = each.iter().map(call).collect();
        let replies = script::run(&self.transport, &calls, Mode::Pipeline).await?;
        let mut ready: Option<(i64, Option<String>)> = None;
        let mut failed = Vec::new();
        let mut is_first = false;
        for ((server, call), reply) in each.iter().zip(&calls).zip(replies) {
            match reply.and_then(|reply| ReadyArgs::read(&mut ReplyReader::new(call, reply)?)) {
                Ok(ReadyReply { now_ms, policy, calls }) => {
                    is_first |= calls == 1;
                    let policy = Some(policy).filter(|policy| !policy.is_empty());
                    ready = Some(match ready {
                        Some(other) => worse(other, (now_ms, policy), self.guess_s * 1000),
                        None => (now_ms, policy),
                    });
                }
                Err(error) => failed.push((&server.slots, error)),
            }
        }
        match (ready, failed.first()) {
            (None, Some((_, error))) => Err(error.clone()),
            (ready, _) => {
                let nobody = Some(servers.unserved.clone()).filter(|slots| !slots.is_empty());
                let nobody = nobody.map(|slots| Unserved { slots, why: "no node".into() });
                let failed = failed.into_iter().map(|(slots, error)| Unserved { slots: slots.clone(), why: error.to_string() });
                let unserved: Vec<Unserved> = nobody.into_iter().chain(failed).collect();
                let unreplicated = if is_replicated { self.unreplicated(each, &calls).await? } else { Vec::new() };
                let apart_ms = if self.transport.is_cluster() { self.clocks_apart_ms(each, now_ms).await } else { 0 };
                let (now_ms, policy) = ready.unwrap_or((self.guess_s * 1000, None));
                let has_functions = self.transport.has_functions();
                let has_memo = !is_first || !has_functions || self.counts_calls(&calls).await?;
                Ok(Ready { now_ms, policy, unserved, unreplicated, apart_ms, has_functions, has_memo, servers })
            }
        }
    }

    /// The action whose events are sent to the most servers at once, and how many those are. Boards of sections and of templates lie anywhere.
    pub fn widest_action<'s>(&self, site: &'s Site, servers: &[Server]) -> Option<(&'s Name, usize)> {
        let width = |(action, _): (&'s Name, &Action)| {
            let counts = |target: &Target| match target {
                Target::Board(board) => board.weights.get(action.as_str()).is_some(),
                Target::ActivityLog => true,
            };
            let is_of_template = site.templates.values().any(|template| template.board.weights.get(action.as_str()).is_some());
            let mut elsewhere = if is_of_template { Template::MOST_NAMED } else { 0 };
            let mut found = vec![false; servers.len()];
            for target in Target::each(site).filter(counts) {
                let key = keys::target_key(self.key_prefix, site, target);
                servers.iter().zip(&mut found).for_each(|(server, found)| *found |= server.has(&key));
                elsewhere += usize::from(matches!(target, Target::Board(board) if matches!(board.sections, Sections::ByCategory(_))));
            }
            let found = found.into_iter().filter(|found| *found).count();
            (action, (found + elsewhere).min(servers.len()))
        };
        site.actions.iter().map(width).max_by_key(|(_, servers)| *servers)
    }

    /// How many milliseconds the clocks of nodes are apart, at least. A node read its clock at some instant of its round trip, so what the
    /// caller's clock went on meanwhile is taken off.
    async fn clocks_apart_ms(&self, servers: &[Server], now_ms: impl Fn() -> u64) -> u64 {
        let now_ms = &|| i64::try_from(now_ms()).unwrap_or(i64::MAX);
        let (mut ahead_ms, mut behind_ms) = (i64::MIN, i64::MAX);
        let asked = in_waves(servers, async |server| {
            let key = keys::ready_key(self.key_prefix) + &server.tag;
            let commands = [["TTL", key.as_str()].into_iter().collect(), Cmd::new("TIME")];
            let asked_ms = now_ms();
            let answers = self.transport.send(&commands, Mode::Pipeline).await;
            (asked_ms, answers.ok().and_then(|answers| time_ms(answers.last()?)), now_ms())
        });
        for (asked_ms, node_ms, answered_ms) in asked.await {
            if let Some(node_ms) = node_ms {
                ahead_ms = ahead_ms.max(node_ms - answered_ms);
                behind_ms = behind_ms.min(node_ms - asked_ms);
            }
        }
        u64::try_from(ahead_ms.saturating_sub(behind_ms)).unwrap_or(0)
    }

    /// Whether no server takes these calls for the first ones again.
    async fn counts_calls(&self, calls: &[Invocation]) -> Result<bool, Error> {
        let replies = script::run(&self.transport, calls, Mode::Pipeline).await?;
        let is_first = |(call, reply): (&Invocation, Result<Value, Error>)| {
            reply.and_then(|reply| ReadyArgs::read(&mut ReplyReader::new(call, reply)?)).is_ok_and(|reply| reply.calls == 1)
        };
        Ok(!calls.iter().zip(replies).any(is_first))
    }

    /// The servers whose writes no replica has.
    async fn unreplicated(&self, servers: &[Server], calls: &[Invocation]) -> Result<Vec<Unserved>, Error> {
        let replies = script::run(&self.transport, calls, Mode::Pipeline.replicated()).await?;
        let of = |(server, reply): (&Server, Result<Value, Error>)| match reply {
            Err(error) if error.fault == Fault::Unreplicated => Some(Unserved { slots: server.slots.clone(), why: error.to_string() }),
            // The first question reported any other failure.
            _ => None,
        };
        Ok(servers.iter().zip(replies).filter_map(of).collect())
    }
}

/// The answer to `TIME`, in Unix milliseconds.
fn time_ms(answer: &Value) -> Option<i64> {
    let Value::Array(parts) = answer else { return None };
    let [Value::BulkString(seconds), Value::BulkString(micros)] = &parts[..] else { return None };
    let number = |bytes: &[u8]| str::from_utf8(bytes).ok()?.parse::<i64>().ok();
    Some(number(seconds)? * 1000 + number(micros)? / 1000)
}

/// Of the clocks and policies of two nodes, the clock that is further from the caller's, and a policy that evicts.
fn worse(one: (i64, Option<String>), other: (i64, Option<String>), guess_ms: i64) -> (i64, Option<String>) {
    const KEEPS_ALL: &str = "noeviction";
    let is_further = other.0.abs_diff(guess_ms) > one.0.abs_diff(guess_ms);
    let evicts = other.1.as_ref().is_some_and(|policy| policy != KEEPS_ALL);
    (if is_further { other.0 } else { one.0 }, if evicts || one.1.is_none() { other.1 } else { one.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_nodes_the_worst_counts() {
        let node = |now_ms, policy: &str| (now_ms, Some(policy.to_owned()));
        for (first, second, expected) in [
            (node(1_000, "noeviction"), node(1_100, "allkeys-lru"), node(1_100, "allkeys-lru")),
            (node(-9_000, "allkeys-lru"), node(1_100, "noeviction"), node(-9_000, "allkeys-lru")),
            (node(900, "noeviction"), node(1_000, "noeviction"), node(900, "noeviction")),
        ] {
            assert_eq!(worse(first, second, 1_000), expected);
        }
    }
}
