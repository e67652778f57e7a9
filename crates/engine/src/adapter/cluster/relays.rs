//! What is for more nodes than one may be connected to at once goes through relays: others, who have connections of their own and keep them. The
//! nodes are parted among relays by their slots, each relay has as many as it may be connected to, and gets all that is for them in one message.
//!
//! A message is RESP, as far as that goes: of each send a command, `TO address mode number`, and so many commands. The answer has a list of
//! replies to each send, or an error line where it failed.
//!
//! # Decisions
//!
//! - A relay only carries: maps of slots, redirections and what is sent again stay with those who ask. So it needs to know nothing, and one
//!   that is new does as well as another.
//! - Where a relay did not get a message, its part goes to the nodes directly, some after the others.

use super::{Cluster, MAX_OPEN, Nodes, Unit, answers_of, by_node, commands_of, in_waves};
use crate::adapter::slots::{Address, SlotMap};
use crate::adapter::value::Reader;
use crate::adapter::{Applied, Cmd, Error, Fault, Mode, ServerError, Transport, Value};

/// The modes that are relayed, as messages have them.
const MODES: [(&str, Mode); 4] = [
    ("pipeline", Mode::Pipeline),
    ("transaction", Mode::Transaction),
    ("replicated", Mode::Replicated { is_transaction: false }),
    ("replicated-transaction", Mode::Replicated { is_transaction: true }),
];
const TO: &[u8] = b"TO";
/// What an error line begins with that is none of a server, before the number of its fault.
const FAILED: &str = "RELAY-FAILED";

/// What goes to a node in one trip.
struct Trip {
    to: Address,
    mode: Mode,
    commands: Vec<Cmd>,
}

impl<N: Nodes> Cluster<N> {
    /// Sends what several nodes get through the relays of these, and answers as a send to each of them.
    pub(super) async fn send_through_relays(
        &self,
        map: &SlotMap,
        commands: &[Cmd],
        of_nodes: Vec<Vec<Unit>>,
        mode: Mode,
    ) -> Vec<(Unit, Vec<Result<Value, Error>>)> {
        let mut parts: Vec<(usize, Vec<Unit>)> = Vec::new();
        for units in of_nodes {
            let part = map.part_of(&units[0].to, MAX_OPEN);
            match parts.iter_mut().find(|(of, _)| *of == part) {
                Some((_, of_part)) => of_part.extend(units),
                None => parts.push((part, units)),
            }
        }
        let relayed = in_waves(&parts, async |(part, units)| {
            let trips = units.iter().map(|unit| Trip { to: unit.to.clone(), mode, commands: commands_of(commands, unit).into_owned() });
            let answer = self.nodes.relay(*part, write_message(trips)).await;
            answer.and_then(|answer| read_answer(&answer, units.len()))
        });
        let relayed = relayed.await;
        let mut sent = Vec::new();
        for ((_, units), relayed) in parts.into_iter().zip(relayed) {
            match relayed {
                Ok(answers) => sent.extend(units.into_iter().zip(answers).map(|(unit, answer)| {
                    let answers = answers_of(&unit, answer);
                    (unit, answers)
                })),
                Err(error) if error.applied() == Applied::No => sent.extend(self.send_in_waves(commands, by_node(units), mode).await),
                Err(error) => sent.extend(units.into_iter().map(|unit| {
                    let answers = answers_of(&unit, Err(error.clone()));
                    (unit, answers)
                })),
            }
        }
        sent
    }

    /// What a relay does: sends what a message has, to all of its nodes at once, and answers what they answer.
    ///
    /// # Errors
    /// `Malformed` when it is no message. Nothing was sent.
    pub async fn relay(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let trips = read_message(message)?;
        let of_nodes: Vec<&[Trip]> = trips.chunk_by(|one, next| one.to == next.to).collect();
        let answers = in_waves(&of_nodes, async |trips| {
            let node = self.node(&trips[0].to);
            let mut answers = Vec::with_capacity(trips.len());
            for trip in *trips {
                answers.push(node.send(&trip.commands, trip.mode).await);
            }
            answers
        });
        let mut bytes = Vec::new();
        answers.await.into_iter().flatten().for_each(|answer| write_answer(&answer, &mut bytes));
        Ok(bytes)
    }
}

fn write_message(trips: impl Iterator<Item = Trip>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Trip { to, mode, commands } in trips {
        let name = MODES.iter().find(|(_, of)| *of == mode).map_or("", |(name, _)| name);
        let mut head: Cmd = [TO].into_iter().collect();
        head.arg(to.to_string()).arg(name).arg(commands.len().to_string()).write(&mut bytes);
        for command in &commands {
            command.write(&mut bytes);
        }
    }
    bytes
}

fn read_message(message: &[u8]) -> Result<Vec<Trip>, Error> {
    let malformed = || Error::new(Fault::Malformed, "not a message to a relay");
    let (mut reader, mut trips) = (Reader::new(message), Vec::new());
    let command = |reader: &mut Reader| -> Result<Vec<Vec<u8>>, Error> {
        let Value::Array(words) = reader.value()? else { return Err(malformed()) };
        let word = |word| if let Value::BulkString(word) = word { Ok(word) } else { Err(malformed()) };
        words.into_iter().map(word).collect()
    };
    while reader.position() < message.len() {
        let head = command(&mut reader)?.into_iter().map(String::from_utf8).collect::<Result<Vec<_>, _>>().map_err(|_| malformed())?;
        let [name, to, mode, number] = &head[..] else { return Err(malformed()) };
        let to = Address::parse(to, &Address::new("", 0)).filter(|_| name.as_bytes() == TO).ok_or_else(malformed)?;
        let mode = MODES.iter().find(|(name, _)| name == mode).ok_or_else(malformed)?.1;
        let number: usize = number.parse().map_err(|_| malformed())?;
        let commands = (0..number).map(|_| command(&mut reader).map(Cmd::from_iter)).collect::<Result<_, _>>()?;
        trips.push(Trip { to, mode, commands });
    }
    Ok(trips)
}

fn write_answer(answer: &Result<Vec<Value>, Error>, bytes: &mut Vec<u8>) {
    match answer {
        Ok(replies) => {
            bytes.extend_from_slice(format!("*{}\r\n", replies.len()).as_bytes());
            for reply in replies {
                write_reply(reply, bytes);
            }
        }
        Err(error) => write_error(error, bytes),
    }
}

fn write_reply(reply: &Value, bytes: &mut Vec<u8>) {
    let mut line = |text: String| bytes.extend_from_slice(format!("{text}\r\n").as_bytes());
    match reply {
        Value::Nil => line("$-1".into()),
        Value::Int(number) => line(format!(":{number}")),
        Value::Okay => line("+OK".into()),
        Value::SimpleString(text) => line(format!("+{text}")),
        Value::ServerError(error) => line(format!("-{} {}", error.code(), error.detail())),
        Value::BulkString(text) => {
            line(format!("${}", text.len()));
            bytes.extend_from_slice(text);
            bytes.extend_from_slice(b"\r\n");
        }
        Value::Array(replies) => {
            line(format!("*{}", replies.len()));
            for reply in replies {
                write_reply(reply, bytes);
            }
        }
        Value::Missing(error) => write_error(error, bytes),
    }
}

fn write_error(error: &Error, bytes: &mut Vec<u8>) {
    let fault = Fault::EACH.iter().position(|fault| *fault == error.fault).unwrap_or_default();
    let detail = error.detail.replace(['\r', '\n'], " ");
    bytes.extend_from_slice(format!("-{FAILED} {fault} {detail}\r\n").as_bytes());
}

fn read_error(line: &ServerError) -> Option<Error> {
    let (fault, detail) = line.detail().split_once(' ').filter(|_| line.code() == FAILED)?;
    Some(Error::new(*Fault::EACH.get(fault.parse::<usize>().ok()?)?, detail))
}

/// What each of so many sends was answered.
fn read_answer(answer: &[u8], sends: usize) -> Result<Vec<Result<Vec<Value>, Error>>, Error> {
    let malformed = || Error::new(Fault::Malformed, "not an answer of a relay");
    let reply = |reply| match reply {
        Value::ServerError(line) => read_error(&line).map_or(Value::ServerError(line), Value::Missing),
        reply => reply,
    };
    let mut reader = Reader::new(answer);
    let read = |_| match reader.value()? {
        Value::Array(replies) => Ok(Ok(replies.into_iter().map(reply).collect())),
        Value::ServerError(line) => Ok(Err(read_error(&line).ok_or_else(malformed)?)),
        _ => Err(malformed()),
    };
    let read = (0..sends).map(read).collect::<Result<Vec<_>, _>>()?;
    if reader.position() == answer.len() { Ok(read) } else { Err(malformed()) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{begin, eight, get, of_eight, ok};
    use super::*;

    /// What eight nodes answer by relays that fail so, or do not; and in which order relays and nodes were asked.
    fn asked(relays: Result<(), Error>, mode: Mode) -> (Result<Vec<Value>, Fault>, Vec<String>) {
        let (scripted, cluster) = begin(of_eight());
        scripted.relays.replace(Some(relays));
        let answers = pollster::block_on(cluster.send(&eight(), mode)).map_err(|error| error.fault);
        let name = |(port, sent): (u16, String)| if port == 0 { sent } else { port.to_string() };
        (answers, scripted.sent.take().into_iter().skip(1).map(name).collect())
    }

    #[test]
    fn nodes_are_parted_by_their_slots() {
        let all = || ok(&[1, 2, 3, 4, 5, 6, 7, 8]).map_err(|error| error.fault);
        for mode in [Mode::Pipeline, Mode::Transaction, Mode::Pipeline.replicated()] {
            assert_eq!(
                asked(Ok(()), mode),
                (all(), ["relay 0", "1", "2", "3", "4", "relay 1", "5", "6", "7", "8"].map(String::from).into())
            );
        }
        let overloaded = Err(Error::new(Fault::Connect, "overloaded"));
        let directly = ["relay 0", "relay 1", "1", "2", "3", "4", "5", "6", "7", "8"];
        assert_eq!(asked(overloaded, Mode::Pipeline), (all(), directly.map(String::from).into()));
        // It may have sent them.
        let lost = Err(Error::new(Fault::Lost, "no answer"));
        assert_eq!(asked(lost, Mode::Pipeline), (Err(Fault::Lost), ["relay 0", "relay 1"].map(String::from).into()));
        // Five nodes need none.
        let (scripted, cluster) = begin(of_eight());
        scripted.relays.replace(Some(Ok(())));
        let sent = pollster::block_on(cluster.send(&eight()[..5], Mode::Pipeline));
        assert_eq!((sent, scripted.sent.take().len()), (ok(&[1, 2, 3, 4, 5]), 6));
    }

    #[test]
    fn messages_and_answers_are_read_as_they_were_written() {
        let of = |port: u16, mode, commands: &[Cmd]| Trip { to: Address::new("::1", port), mode, commands: commands.into() };
        let binary: Cmd = [&b"SET"[..], b"a\r\n\xff", b""].into_iter().collect();
        let trips = MODES.map(|(_, mode)| of(7, mode, &[get("a"), binary.clone()]));
        let read = read_message(&write_message(trips.into_iter())).expect("a message");
        for (trip, (_, mode)) in read.iter().zip(MODES) {
            assert_eq!((&trip.to, trip.mode, &trip.commands[..]), (&Address::new("::1", 7), mode, &[get("a"), binary.clone()][..]));
        }
        assert_eq!(read.len(), MODES.len());
        let replies = vec![
            Value::Nil,
            Value::Int(-7),
            Value::Okay,
            Value::SimpleString("PONG".into()),
            Value::BulkString(b"a\r\n\xff".into()),
            Value::Array(vec![Value::Array(vec![Value::BulkString(Vec::new())]), Value::ServerError(ServerError::new("ERR not"))]),
            Value::ServerError(ServerError::new("MOVED 7 h:1")),
            Value::Missing(Error::new(Fault::Unreplicated, "no replica has it in time")),
        ];
        let failures = Fault::EACH.map(|fault| Err(Error::new(fault, "why it was")));
        let answers: Vec<_> = [Ok(replies), Ok(Vec::new())].into_iter().chain(failures).collect();
        let mut bytes = Vec::new();
        for answer in &answers {
            write_answer(answer, &mut bytes);
        }
        assert_eq!(read_answer(&bytes, answers.len()), Ok(answers.clone()));
        for (bytes, sends) in [(&bytes[..], answers.len() - 1), (&bytes[..], answers.len() + 1), (b":1\r\n", 1), (b"-ERR\r\n", 1)] {
            assert_eq!(read_answer(bytes, sends).map_err(|error| error.fault), Err(Fault::Malformed));
        }
        for garbage in ["x", "*1\r\n:1\r\n", "*1\r\n$2\r\nTO\r\n", "*4\r\n$2\r\nTO\r\n$3\r\nh:1\r\n$8\r\npipeline\r\n$1\r\n1\r\n"] {
            assert!(read_message(garbage.as_bytes()).is_err_and(|error| error.fault == Fault::Malformed), "{garbage}");
        }
    }

    /// What took over from a master has its slots, and so its relay.
    #[test]
    fn each_relay_has_at_most_five_nodes() {
        for (masters, parts) in [(1, 1), (5, 1), (6, 2), (7, 2), (10, 2), (11, 3), (25, 5)] {
            let node = |port: i64| Value::Array(vec![Value::BulkString(b"h".into()), Value::Int(port)]);
            let range = |at: i64| Value::Array(vec![Value::Int(at * 600), Value::Int(at * 600 + 599), node(at + 1)]);
            let map = SlotMap::read(Value::Array((0..masters).map(range).collect()), &Address::new("h", 1)).expect("a map");
            let mut sizes = vec![0; parts];
            for master in map.masters() {
                sizes[map.part_of(master, MAX_OPEN)] += 1;
            }
            assert!(sizes.iter().all(|size| (1..=MAX_OPEN).contains(size)), "{sizes:?}");
        }
    }
}
