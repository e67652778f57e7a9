//! Reads that replicas of a cluster answer.
//!
//! # Decisions
//!
//! - A replica says with each answer how long it has not heard its master. What is on its way meanwhile nobody knows. So a replica that is
//!   silent for long, or refuses anything, is left alone for a while, and the master is asked.

use std::cell::RefCell;

use super::{Cluster, Nodes};
use crate::adapter::slots::{Address, SlotMap, slot_of};
use crate::adapter::{Cmd, Error, Fault, Mode, Transport, Value};

/// A replica that has not heard its master for so many seconds is asked nothing: masters that write nothing are heard every ten seconds
/// (`repl-ping-replica-period`).
const MAX_SILENT_S: i64 = 20;
/// Where a slot has no replica that may be asked, the map is learnt anew once in so long.
const REPLICAS_EVERY_MS: u64 = 60_000;
/// For so long a replica is avoided that is silent, and one that cannot be reached or refuses what is asked.
const SILENT_MS: u64 = 10_000;
const REFUSING_MS: u64 = 300_000;

/// Replicas that are avoided, and until when.
#[derive(Debug, Default)]
pub(super) struct Avoided(RefCell<Vec<(Address, u64)>>);

impl<N: Nodes> Cluster<N> {
    /// A replica of the master of a slot that is not avoided: one after the other, as the clock goes on.
    fn replica_of(&self, map: &SlotMap, slot: u16, now_ms: u64) -> Option<Address> {
        let mut avoided = self.known.avoided.0.borrow_mut();
        avoided.retain(|(_, until_ms)| (now_ms..=now_ms + REFUSING_MS).contains(until_ms));
        let is_asked = |replica: &&Address| avoided.iter().all(|(other, _)| other != *replica);
        let asked: Vec<&Address> = map.replicas_of(slot).iter().filter(is_asked).collect();
        let at = usize::try_from(now_ms).unwrap_or_default().checked_rem(asked.len())?;
        Some(asked[at].clone())
    }

    /// Sends functions that only read to a replica, see [`Mode::Replica`].
    pub(super) async fn send_to_replica(&self, commands: &[Cmd]) -> Result<Vec<Value>, Error> {
        let nobody = |why: &str| Err(Error::new(Fault::Connect, why));
        let Some(slot) = commands.first().and_then(|command| command.key()).map(slot_of) else { return nobody("a command without a key") };
        let is_read = |command: &Cmd| command.name() == b"FCALL_RO" && command.key().map(slot_of) == Some(slot);
        if !commands.iter().all(is_read) {
            return nobody("commands that no replica answers");
        }
        let (map, now_ms) = (self.map().await?, self.nodes.now_ms());
        let mut replica = self.replica_of(&map, slot, now_ms);
        // A replica that joined since is not in the map, and nobody redirects to it.
        if replica.is_none() && now_ms.saturating_sub(self.known.asked_at_ms.get()) >= REPLICAS_EVERY_MS {
            replica = self.replica_of(&*self.learn(None, None).await?, slot, now_ms);
        }
        let Some(replica) = replica else { return nobody("no replica is to be asked") };
        let first = [Cmd::new("READONLY"), ["INFO", "replication"].into_iter().collect()];
        let sent: Vec<Cmd> = first.into_iter().chain(commands.iter().cloned()).collect();
        let answers = self.node(&replica).send(&sent, Mode::Pipeline).await;
        match answers.ok().map_or(Err(REFUSING_MS), |answers| heard(answers, commands.len())) {
            Ok(answers) => Ok(answers),
            Err(ms) => {
                self.known.avoided.0.borrow_mut().push((replica, now_ms + ms));
                nobody("the replica does not answer, or does not hear its master")
            }
        }
    }
}

/// What a replica answered to `READONLY`, `INFO` and so many commands, and then how many seconds it has not heard its master. Else for how long it is left
/// alone.
fn heard(answers: Vec<Value>, wanted: usize) -> Result<Vec<Value>, u64> {
    let mut answers = answers.into_iter();
    let (Some(Value::Okay), Some(Value::BulkString(info))) = (answers.next(), answers.next()) else { return Err(REFUSING_MS) };
    let info = String::from_utf8_lossy(&info);
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name));
    let silent_s = field("master_last_io_seconds_ago:")
        .and_then(|seconds| seconds.parse().ok())
        .filter(|seconds| (0..=MAX_SILENT_S).contains(seconds));
    let Some(silent_s) = silent_s.filter(|_| field("master_link_status:") == Some("up")) else { return Err(SILENT_MS) };
    let mut answers: Vec<Value> = answers.collect();
    // A library that it does not know comes from its master, and a slot that is no longer its own is another one's.
    if answers.len() != wanted || answers.iter().any(|answer| matches!(answer, Value::ServerError(_))) {
        return Err(SILENT_MS);
    }
    answers.push(Value::Int(silent_s));
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BAR, FOO, MAP, THREE, begin, call, check, ok, refused, slots};
    use super::*;

    /// A map whose nodes have replicas, and what a replica says of its master.
    #[expect(clippy::unnecessary_wraps, reason = "as a node's answers are scripted")]
    fn with_replicas() -> Result<Vec<Value>, Error> {
        let node = |port| Value::Array(vec![Value::BulkString(b"h".into()), Value::Int(port), Value::BulkString(b"id".into())]);
        let range =
            |(first, last, port): (i64, i64, i64)| Value::Array(vec![Value::Int(first), Value::Int(last), node(port), node(port + 10)]);
        Ok(vec![Value::Array(THREE.into_iter().map(range).collect())])
    }

    #[expect(clippy::unnecessary_wraps, reason = "as a node's answers are scripted")]
    fn of_replica(status: &str, silent_s: i64, answers: &[i64]) -> Result<Vec<Value>, Error> {
        let info = format!("# Replication\r\nrole:slave\r\nmaster_link_status:{status}\r\nmaster_last_io_seconds_ago:{silent_s}\r\n");
        let answers = answers.iter().copied().map(Value::Int);
        Ok([Value::Okay, Value::BulkString(info.into())].into_iter().chain(answers).collect())
    }

    #[test]
    fn a_replica_answers_reads_and_says_how_long_it_has_not_heard_its_master() {
        let read = |key: &str| ["FCALL_RO", "f", "1", key].into_iter().collect::<Cmd>();
        let sent = [MAP, (13, "READONLY|INFO replication|FCALL_RO f 1 {foo}:state|FCALL_RO g 1 {foo}:x")];
        let reads = [read(FOO), ["FCALL_RO", "g", "1", "{foo}:x"].into_iter().collect()];
        let answered = of_replica("up", 3, &[1, 2]);
        check(Mode::Replica, &reads, vec![(1, with_replicas()), (13, answered)], &sent, ok(&[1, 2, 3]).map_err(|error| error.fault));
        for unfit in [
            of_replica("down", 3, &[1, 2]),
            of_replica("up", -1, &[1, 2]),
            of_replica("up", 21, &[1, 2]),
            Ok([of_replica("up", 3, &[1]).expect("answers"), vec![refused("MOVED 12182 h:2")]].concat()),
            Ok(vec![refused("NOPERM"), Value::Nil, Value::Int(1), Value::Int(2)]),
            Err(Error::new(Fault::Connect, "refused")),
        ] {
            let (scripted, cluster) = begin(vec![(1, with_replicas()), (13, unfit)]);
            for _ in 0..2 {
                let fault = pollster::block_on(cluster.send(&reads, Mode::Replica)).map_err(|error| error.fault);
                assert_eq!(fault, Err(Fault::Connect));
            }
            assert_eq!(scripted.sent.borrow().len(), 2, "it is left alone");
            scripted.now_ms.set(scripted.now_ms.get() + REFUSING_MS + 1);
            scripted.answers.replace(vec![(13, of_replica("up", 0, &[1, 2]))]);
            assert_eq!(pollster::block_on(cluster.send(&reads, Mode::Replica)), ok(&[1, 2, 0]));
        }
        // One that joins later is found.
        let (scripted, cluster) = begin(vec![(1, slots(&THREE))]);
        assert!(pollster::block_on(cluster.send(&reads, Mode::Replica)).is_err());
        scripted.now_ms.set(scripted.now_ms.get() + REPLICAS_EVERY_MS);
        scripted.answers.replace(vec![(1, with_replicas()), (13, of_replica("up", 0, &[1, 2]))]);
        assert_eq!(pollster::block_on(cluster.send(&reads, Mode::Replica)), ok(&[1, 2, 0]));
        // A write, two slots, and a node without a replica.
        for (commands, map) in
            [(vec![call(FOO)], with_replicas()), (vec![read(FOO), read(BAR)], with_replicas()), (vec![read(FOO)], slots(&THREE))]
        {
            let (scripted, cluster) = begin(vec![(1, map)]);
            let fault = pollster::block_on(cluster.send(&commands, Mode::Replica)).map_err(|error| error.fault);
            assert_eq!(fault, Err(Fault::Connect));
            assert!(scripted.sent.take().iter().all(|(port, _)| *port == 1));
        }
    }
}
