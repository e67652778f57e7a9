//! RESP over a byte stream: what to write, and reading the replies from what came so far.

use super::url::Tcp;
use super::value::Reader;
use super::{Cmd, Error, Fault, Mode, Value, script};

/// The handshake: what a new connection sends before anything else.
pub fn handshake(to: &Tcp) -> Vec<Cmd> {
    let mut commands = Vec::new();
    if let Some(password) = &to.password {
        let mut auth = Cmd::new("AUTH");
        if let Some(user) = &to.user {
            auth.arg(user);
        }
        auth.arg(password);
        commands.push(auth);
    }
    if to.database != 0 {
        let mut select = Cmd::new("SELECT");
        select.arg(to.database.to_string());
        commands.push(select);
    }
    commands
}

/// The bytes of the commands, one after the other. Room for them is made once: room that grows leaves holes in a memory that never
/// shrinks.
pub fn encode<'c>(commands: impl IntoIterator<Item = &'c Cmd> + Clone) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(commands.clone().into_iter().map(Cmd::max_bytes).sum());
    for command in commands {
        command.write(&mut bytes);
    }
    bytes
}

/// How long a replica may take to have what was written. An object's six trips over one connection wait for that one after the other, and
/// meet no time limit.
const REPLICATED_MS: u32 = 500;
/// The end of the key that is written before a replica is waited for.
const REPLICATED: &str = ":replicated";
/// Seconds that it is kept.
const REPLICATED_S: u32 = 10;

/// Commands as they go to the server: several of a transaction between MULTI and EXEC. Behind them, where a replica is waited for, a write
/// and WAIT. WAIT is about the last write of its own connection. Without one, an event that was counted over another connection would be
/// acknowledged at once when it is sent again, whether a replica has it or not.
pub struct Request<'c> {
    multi: Option<Cmd>,
    commands: &'c [Cmd],
    exec: Option<Cmd>,
    waits: Vec<Cmd>,
}

impl<'c> Request<'c> {
    pub fn new(commands: &'c [Cmd], mode: Mode) -> Self {
        let transaction = mode.is_transaction() && commands.len() > 1;
        let bound = |name| transaction.then(|| Cmd::new(name));
        let key = commands.iter().find_map(Cmd::key).filter(|_| matches!(mode, Mode::Replicated { .. }));
        let waits = key.map(|key| waits(key).into()).unwrap_or_default();
        Self { multi: bound("MULTI"), commands, exec: bound("EXEC"), waits }
    }

    /// What to write; each gets one reply.
    pub fn sent(&self) -> impl Iterator<Item = &Cmd> + Clone {
        self.multi.iter().chain(self.commands).chain(&self.exec).chain(&self.waits)
    }

    /// The replies to the commands, of those to all that was sent.
    ///
    /// # Errors
    /// Why the transaction was not executed: the first refusal, since EXEC only says that there was one. `Malformed` when the
    /// commands were done one by one after a MULTI that was refused.
    pub fn answers(&self, mut replies: Vec<Value>) -> Result<Vec<Value>, Error> {
        let waited = replies.split_off(replies.len().saturating_sub(self.waits.len()));
        let mut answers = self.executed(replies)?;
        if let Some(error) = unreplicated(&waited) {
            for answer in answers.iter_mut().filter(|answer| script::refusal(answer).is_none()) {
                *answer = Value::Missing(error.clone());
            }
        }
        Ok(answers)
    }

    fn executed(&self, mut replies: Vec<Value>) -> Result<Vec<Value>, Error> {
        if self.exec.is_none() {
            return Ok(replies);
        }
        let executed = replies.pop();
        match executed {
            Some(Value::Array(answers)) if answers.len() == self.commands.len() => return Ok(answers),
            _ => {}
        }
        let malformed = |detail: String| Error::new(Fault::Malformed, detail);
        let Some(error) = replies.iter().chain(&executed).find_map(script::refusal) else {
            return Err(malformed("EXEC answered otherwise than the transaction asked".into()));
        };
        let apart = replies.first().is_some_and(refused) && !replies.iter().all(refused);
        Err(if apart { malformed(error.detail) } else { error })
    }
}

/// A write that lies beside a key, and waiting for a replica that has it.
fn waits(key: &[u8]) -> [Cmd; 2] {
    let mut write = Cmd::new("SET");
    write.arg([key, REPLICATED.as_bytes()].concat()).arg("").arg("EX").arg(REPLICATED_S.to_string());
    let mut wait = Cmd::new("WAIT");
    wait.arg("1").arg(REPLICATED_MS.to_string());
    [write, wait]
}

/// Why it is not known of what was done whether a replica has it, by the replies to [`waits`].
fn unreplicated(waited: &[Value]) -> Option<Error> {
    let detail = match waited {
        [] | [_, Value::Int(1..)] if waited.iter().all(|reply| script::refusal(reply).is_none()) => return None,
        _ => waited.iter().find_map(script::refusal).map_or_else(|| "no replica has it in time".into(), |error| error.detail),
    };
    Some(Error::new(Fault::Unreplicated, detail))
}

/// Reads a known number of replies from bytes that arrive in chunks.
pub struct Decoder {
    wanted: usize,
    replies: Vec<Value>,
    unread: Vec<u8>,
}

impl Decoder {
    pub fn new(wanted: usize) -> Self {
        Self { wanted, replies: Vec::new(), unread: Vec::new() }
    }

    /// Takes the next bytes; answers the replies when all are there.
    ///
    /// # Errors
    /// `Malformed` when the bytes are not RESP.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Vec<Value>>, Error> {
        self.unread.extend_from_slice(bytes);
        while self.replies.len() < self.wanted {
            let mut reader = Reader::new(&self.unread);
            if !reader.is_whole()? {
                return Ok(None);
            }
            let reply = reader.value()?;
            let end = reader.position();
            self.unread.drain(..end);
            self.replies.push(reply);
        }
        Ok(Some(std::mem::take(&mut self.replies)))
    }

    /// What came after the replies.
    pub fn beyond(self) -> Vec<u8> {
        self.unread
    }

    /// Why the server closed the connection, where it said so instead of doing anything. It may have no room for another
    /// connection, or speak with its own machine only. Or it wants a password: then it refuses a short MULTI and hangs up on
    /// what follows.
    pub fn handshake_refusal(&self) -> Option<Error> {
        let (last, before) = self.replies.split_last()?;
        let message = |error: &Error| {
            ["DENIED ", "ERR max number of clients", "ERR Protocol error"].iter().any(|words| error.detail.starts_with(words))
        };
        script::refusal(last).filter(|error| message(error) && before.iter().all(refused))
    }
}

fn refused(reply: &Value) -> bool {
    matches!(reply, Value::ServerError(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The replies come out the same however the bytes are cut.
    #[test]
    fn replies_in_chunks() {
        let bytes = b"+OK\r\n$-1\r\n*3\r\n:1\r\n$4\r\na\r\nb\r\n*0\r\n-NOSCRIPT No matching script.\r\n";
        let expected = Decoder::new(4).push(bytes).expect("RESP").expect("whole");
        assert_eq!(expected[0], Value::Okay);
        assert_eq!(expected[1], Value::Nil);
        assert_eq!(expected[2], Value::Array(vec![Value::Int(1), Value::BulkString(b"a\r\nb".to_vec()), Value::Array(vec![])]));
        assert!(matches!(expected[3], Value::ServerError(_)));
        for size in 1..bytes.len() {
            let mut decoder = Decoder::new(4);
            let mut replies = None;
            for part in bytes.chunks(size) {
                assert!(replies.is_none());
                replies = decoder.push(part).expect("RESP");
            }
            assert_eq!(replies, Some(expected.clone()), "in chunks of {size}");
        }
    }

    #[test]
    fn garbage_is_malformed() {
        for garbage in [&b"HTTP/1.1 400 Bad Request\r\n"[..], b"$x\r\n", b"\r\n"] {
            assert_eq!(Decoder::new(1).push(garbage).map_err(|error| error.fault), Err(Fault::Malformed));
        }
    }

    #[test]
    fn a_server_that_hangs_up_may_say_why() {
        for (message, fault) in [
            ("-ERR max number of clients reached\r\n", Some(Fault::Unavailable)),
            ("-ERR Protocol error: unauthenticated multibulk length\r\n", Some(Fault::Unauthorized)),
            ("-DENIED Redis is running in protected mode\r\n", Some(Fault::Unauthorized)),
            ("-NOSCRIPT No matching script.\r\n", None),
            ("-NOAUTH Authentication required.\r\n-ERR Protocol error: unauthenticated multibulk length\r\n", Some(Fault::Unauthorized)),
            (":1\r\n-ERR Protocol error: unauthenticated multibulk length\r\n", None),
            ("-ERR max number of cli", None),
            ("", None),
        ] {
            let mut decoder = Decoder::new(3);
            assert_eq!(decoder.push(message.as_bytes()), Ok(None));
            assert_eq!(decoder.handshake_refusal().map(|error| error.fault), fault, "{message}");
        }
    }

    #[test]
    fn several_commands_make_a_transaction() {
        let ping = [Cmd::new("PING"), Cmd::new("PING")];
        const PING: &str = "*1\r\n$4\r\nPING\r\n";
        for (commands, mode, expected) in [
            (&ping[..], Mode::Transaction, format!("*1\r\n$5\r\nMULTI\r\n{PING}{PING}*1\r\n$4\r\nEXEC\r\n")),
            (&ping[..1], Mode::Transaction, PING.into()),
            (&ping, Mode::Pipeline, [PING, PING].concat()),
        ] {
            let request = Request::new(commands, mode);
            assert_eq!(String::from_utf8(encode(request.sent())), Ok(expected));
        }
    }

    /// What redis-server 7 says to MULTI, two commands and EXEC.
    #[test]
    fn a_transaction_is_executed_or_it_is_not() {
        #[track_caller]
        fn check(message: &str, expected: Result<[Result<i64, Fault>; 2], Fault>) {
            let commands = [Cmd::new("A"), Cmd::new("B")];
            let request = Request::new(&commands, Mode::Transaction);
            let replies = Decoder::new(request.sent().count()).push(message.as_bytes()).expect("RESP").expect("whole");
            let answers = request.answers(replies).map_err(|error| error.fault);
            let answer = |value| match script::reply(value).map_err(|error| error.fault)? {
                Value::Int(number) => Ok(number),
                other => panic!("{other:?}"),
            };
            assert_eq!(answers.map(|answers| answers.into_iter().map(answer).collect()), expected.map(Vec::from), "{message}");
        }
        const QUEUED: &str = "+OK\r\n+QUEUED\r\n+QUEUED\r\n";
        const ABORTED: &str = "-EXECABORT Transaction discarded because of previous errors.\r\n";
        check(&format!("{QUEUED}*2\r\n:1\r\n:2\r\n"), Ok([Ok(1), Ok(2)]));
        check(&format!("{QUEUED}*2\r\n:1\r\n-NOSCRIPT No matching script.\r\n"), Ok([Ok(1), Err(Fault::NoScript)]));
        check(&format!("+OK\r\n+QUEUED\r\n-OOM command not allowed.\r\n{ABORTED}"), Err(Fault::Unavailable));
        check(&format!("+OK\r\n-ERR unknown command\r\n-BUSY Redis is busy.\r\n{ABORTED}"), Err(Fault::Refused));
        check(&format!("{QUEUED}-CROSSSLOT Keys in request don't hash to the same slot\r\n"), Err(Fault::Refused));
        check("-NOAUTH a\r\n-NOAUTH b\r\n-NOAUTH c\r\n-EXECABORT Transaction discarded because of: NOAUTH d\r\n", Err(Fault::Unauthorized));
        // MULTI alone is forbidden: the commands were done one by one.
        check("-NOPERM a\r\n:1\r\n-ERR b\r\n-ERR EXEC without MULTI\r\n", Err(Fault::Malformed));
        check("-NOPERM a\r\n-NOPERM b\r\n-NOPERM c\r\n-ERR EXEC without MULTI\r\n", Err(Fault::Unauthorized));
        check(&format!("{QUEUED}*1\r\n:1\r\n"), Err(Fault::Malformed));
        check(&format!("{QUEUED}*-1\r\n"), Err(Fault::Malformed));
    }

    #[test]
    fn what_no_replica_has_is_not_acknowledged() {
        let commands: Vec<Cmd> = ["a", "b"].map(|arg| ["FCALL", "f", "1", "{k}", arg].into_iter().collect()).into();
        let text = |request: &Request| {
            let words = |command: &Cmd| command.words().map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
            request.sent().map(words).collect::<Vec<_>>().join("|")
        };
        const CALLS: &str = "FCALL f 1 {k} a|FCALL f 1 {k} b";
        const WAITS: &str = "SET {k}:replicated  EX 10|WAIT 1 500";
        let faults = |request: &Request, replies: &str| {
            let replies = Decoder::new(request.sent().count()).push(replies.as_bytes()).expect("RESP").expect("whole");
            let answers = request.answers(replies).map_err(|error| error.fault)?;
            Ok(answers.iter().map(|answer| script::refusal(answer).map(|error| error.fault)).collect::<Vec<_>>())
        };
        let piped = Request::new(&commands, Mode::Pipeline.replicated());
        assert_eq!(text(&piped), format!("{CALLS}|{WAITS}"));
        let none = Some(Fault::Unreplicated);
        for (replies, expected) in [
            (":1\r\n:2\r\n+OK\r\n:1\r\n", [None, None]),
            (":1\r\n:2\r\n+OK\r\n:2\r\n", [None, None]),
            (":1\r\n:2\r\n+OK\r\n:0\r\n", [none, none]),
            // The write was refused: others may be behind it.
            (":1\r\n:2\r\n-OOM no memory\r\n:1\r\n", [none, none]),
            (":1\r\n:2\r\n+OK\r\n-NOPERM no right to 'wait'\r\n", [none, none]),
            // What was not done says why.
            ("-ERR Function not found\r\n:2\r\n+OK\r\n:0\r\n", [Some(Fault::NoScript), none]),
        ] {
            assert_eq!(faults(&piped, replies), Ok(expected.to_vec()), "{replies}");
        }
        let transaction = Request::new(&commands, Mode::Transaction.replicated());
        assert_eq!(text(&transaction), format!("MULTI|{CALLS}|EXEC|{WAITS}"));
        let queued = "+OK\r\n+QUEUED\r\n+QUEUED\r\n";
        assert_eq!(faults(&transaction, &format!("{queued}*2\r\n:1\r\n:2\r\n+OK\r\n:1\r\n")), Ok(vec![None, None]));
        assert_eq!(faults(&transaction, &format!("{queued}*2\r\n:1\r\n:2\r\n+OK\r\n:0\r\n")), Ok(vec![none, none]));
        let refused = "+OK\r\n+QUEUED\r\n-OOM no memory\r\n-EXECABORT discarded\r\n+OK\r\n:1\r\n";
        assert_eq!(faults(&transaction, refused), Err(Fault::Unavailable));
        assert_eq!(text(&Request::new(&commands, Mode::Pipeline)), CALLS);
    }

    #[test]
    fn a_connection_says_who_it_is() {
        let Some(super::super::url::RedisUrl::Tcp(to)) = super::super::url::RedisUrl::parse("redis://u:p@h/2") else { panic!("a TCP URL") };
        assert_eq!(encode(&handshake(&to)), b"*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n2\r\n");
    }
}
