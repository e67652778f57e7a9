//! Lua scripts: the functions of a library that the server keeps, or sources that it knows by their digest.
//!
//! A library is named by the digest of its text, `eb_<12 digits>`, and its functions `eb_<12 digits>_NAME`. So the libraries of
//! several versions of the worker exist beside each other. A call is `FCALL`, or `FCALL_RO` for a script that writes nothing.
//! Where Redis answers that it does not know the function, it is sent the library and the call again.
//!
//! A source is run where functions cannot be used: the server has none, its user may not call them, or Redis takes no writes
//! for want of memory or of replicas. It takes no library then. It also refuses a function that may write before its first
//! line, although the call may only read or free memory. The source of a script is the text of the library without what the
//! script does not reach. Redis runs it from its first line, so every call makes its functions anew.
//!
//! # Decisions
//!
//! - All scripts are one library. Redis keeps its functions between calls, and makes those of a source at each call. A like and
//!   a new member cost a fifth less.
//! - Few functions run while Redis has no memory: those that free some and leave a note of 4 KB at most (`@frees` in their
//!   headers). The flag lets a function do anything. Whatever may take more memory is run from its source instead, and Redis
//!   stops that at the first command that takes memory.

use super::locks::Way;
use super::{Cmd, Error, Fault, Locking, Mode, Transport, Value};

/// The functions of all scripts, as build.rs wrote them from lua/.
#[derive(Debug)]
pub struct Library {
    pub name: &'static str,
    /// What `FUNCTION LOAD` takes.
    pub parts: &'static [&'static str],
}

/// A script that build.rs assembled from lua/.
#[derive(Debug)]
pub struct Script {
    pub name: &'static str,
    pub library: &'static Library,
    /// Its function in the library.
    pub function: &'static str,
    /// The library for servers that lock by key.
    pub locking: &'static Library,
    /// It writes nothing.
    pub reads: bool,
    /// The arguments on which it depends which keys it needs; none where a call does not declare them.
    pub locks: &'static [&'static str],
    pub sha1: &'static str,
    /// What its source is assembled from. The compiler keeps once what several scripts share.
    pub parts: &'static [&'static str],
    pub keys: &'static [&'static str],
    /// So many of `args` travel as one text, a line each.
    pub packed: usize,
    pub args: &'static [&'static str],
    /// The fields of each repeated group of arguments; empty when nothing repeats.
    pub each: &'static [&'static str],
}

impl Script {
    /// What `EVAL` and `SCRIPT LOAD` take.
    pub fn source(&self) -> String {
        self.parts.concat()
    }

    /// The place of an argument among the texts of a call. Packed ones are lines of the first text.
    pub fn place_of(&self, arg: &str) -> Option<usize> {
        Some(self.place(self.args.iter().position(|name| *name == arg)?))
    }

    /// How many texts a call has before those that repeat.
    pub fn texts(&self) -> usize {
        self.place(self.args.len())
    }

    const fn place(&self, arg: usize) -> usize {
        if self.packed == 0 { arg } else { (arg + 1).saturating_sub(self.packed) }
    }
}

/// A script with its keys and arguments.
#[derive(Debug)]
pub struct Invocation {
    pub script: &'static Script,
    pub keys: Vec<String>,
    pub args: Vec<String>,
    /// Its keys are like those of few other calls, so they are not declared.
    pub varies: bool,
}

impl Invocation {
    fn command(&self, name: &str, script: &str) -> Cmd {
        let mut command = Cmd::new(name);
        command.arg(script).arg(self.keys.len().to_string()).args(&self.keys).args(&self.args);
        command
    }

    /// The call of its function, in the library for servers that lock by key if there is a way.
    fn of_function(&self, way: Option<&Way>) -> Cmd {
        let name = if self.script.reads { "FCALL_RO" } else { "FCALL" };
        let function = |suffix: &str| format!("{}_{}{suffix}", self.script.locking.name, self.script.name);
        match way {
            None => self.command(name, self.script.function),
            Some(Way::All) => self.command(name, &function("")),
            Some(Way::Telling) => self.command(name, &function("_telling")),
            Some(Way::Keys(keys)) => {
                let mut command = Cmd::new(name);
                command.arg(function("_locking")).arg((self.keys.len() + keys.len()).to_string());
                command.args(&self.keys).args(keys).args(&self.args);
                command
            }
        }
    }
}

type Replies = Vec<Result<Value, Error>>;

/// Runs scripts in one round trip; in three where the server does not know their library, which it is then given. Only those that it
/// did not know are sent again. It did not run these, so none ever runs twice.
///
/// Each trip of a transaction is a transaction of its own, so what is sent again may part from the others. But a server knows all of a library
/// or nothing of it.
///
/// Where a server has no functions, takes no library now, or none that may write, the same are run from their sources: a script may have
/// nothing to write, or free memory, and is refused at the first command that may not be.
///
/// # Errors
/// The outer error: no replies could be had, and every outcome is that error's. The inner: that script was refused.
pub async fn run(transport: &impl Transport, invocations: &[Invocation], mode: Mode) -> Result<Replies, Error> {
    let all: Vec<&Invocation> = invocations.iter().collect();
    let replies = if transport.has_functions() {
        match run_functions(transport, &all, mode).await {
            // A transaction is refused whole.
            Err(error) if error.fault == Fault::NoFunctions || error.refuses_writes() => {
                if error.fault == Fault::NoFunctions {
                    transport.lacks_functions(&error);
                }
                run_sources(transport, &all, mode).await?
            }
            replies => replies?,
        }
    } else {
        run_sources(transport, &all, mode).await?
    };
    for (call, reply) in invocations.iter().zip(&replies) {
        if let Some(error) = reply.as_ref().err().filter(|error| error.is_of_script()) {
            transport.script_failed(call, error);
        }
    }
    Ok(replies)
}

async fn run_functions(transport: &impl Transport, calls: &[&Invocation], mode: Mode) -> Result<Replies, Error> {
    let Some(Locking { locks, now_ms }) = transport.locks() else { return run_by(transport, calls, mode, |_| None).await };
    let way = |call: &&Invocation| if mode.is_transaction() { Way::All } else { locks.way(call, now_ms) };
    let mut ways: Vec<Way> = calls.iter().map(way).collect();
    let mut replies = run_by(transport, calls, mode, |i| ways.get(i)).await?;
    let lacks_key = |i: &usize| matches!(ways[*i], Way::Keys(_)) && locks.lacks_key(calls[*i], &replies[*i]);
    let lacking: Vec<usize> = (0..calls.len()).filter(lacks_key).collect();
    if !lacking.is_empty() {
        let again: Vec<&Invocation> = lacking.iter().map(|i| calls[*i]).collect();
        put(&mut replies, &lacking, run_by(transport, &again, mode, |_| Some(&Way::Telling)).await);
        for i in lacking {
            ways[i] = Way::Telling;
        }
    }
    let learnt = |(i, reply): (usize, Result<Value, Error>)| match ways[i] {
        Way::Telling => reply.map(|reply| locks.learn(calls[i], reply, now_ms)),
        _ => reply,
    };
    Ok(replies.into_iter().enumerate().map(learnt).collect())
}

/// Calls functions, each in its way; all or none have one.
async fn run_by<'w>(
    transport: &impl Transport,
    calls: &[&Invocation],
    mode: Mode,
    way_of: impl Fn(usize) -> Option<&'w Way>,
) -> Result<Replies, Error> {
    let command = |i: usize| calls[i].of_function(way_of(i));
    let mut replies = send(transport, (0..calls.len()).map(command).collect(), mode).await?;
    let unknown = places(&replies, |error| error.fault == Fault::NoScript);
    if !unknown.is_empty() {
        let again: Vec<Cmd> = unknown.iter().map(|i| command(*i)).collect();
        let script = calls[unknown[0]].script;
        let library = if way_of(unknown[0]).is_some() { script.locking } else { script.library };
        if load(transport, library, &again).await.is_ok() {
            put(&mut replies, &unknown, send(transport, again, mode).await);
        }
    }
    if let Some(error) = replies.iter().filter_map(|reply| reply.as_ref().err()).find(|error| error.fault == Fault::NoFunctions) {
        transport.lacks_functions(error);
    }
    let is_pending = |error: &Error| matches!(error.fault, Fault::NoScript | Fault::NoFunctions) || error.refuses_writes();
    let remaining = places(&replies, is_pending);
    if !remaining.is_empty() {
        let again: Vec<&Invocation> = remaining.iter().map(|i| calls[*i]).collect();
        put(&mut replies, &remaining, run_sources(transport, &again, mode).await);
    }
    Ok(replies)
}

/// Gives a library to each server that calls go to. Others may have done so meanwhile.
///
/// # Errors
/// When none of them took it.
async fn load(transport: &impl Transport, library: &Library, calls: &[Cmd]) -> Result<(), Error> {
    let text = library.parts.concat();
    let mut command = Cmd::new("FUNCTION");
    command.arg("LOAD").arg(text);
    let mut loaded = Err(Error::new(Fault::Malformed, "no answer"));
    for answer in transport.send_to_servers_of(calls, command).await? {
        match reply(answer) {
            Err(error) if !error.detail.contains("already exists") => {
                if error.fault == Fault::NoFunctions {
                    transport.lacks_functions(&error);
                } else if error.refuses_writes() {
                    transport.refused_library();
                } else {
                    transport.refused_locks(&error);
                }
                loaded = loaded.or(Err(error));
            }
            _ => loaded = Ok(()),
        }
    }
    loaded
}

async fn run_sources(transport: &impl Transport, calls: &[&Invocation], mode: Mode) -> Result<Replies, Error> {
    let mut replies = send(transport, calls.iter().map(|call| call.command("EVALSHA", call.script.sha1)).collect(), mode).await?;
    let unknown = places(&replies, |error| error.fault == Fault::NoScript);
    if !unknown.is_empty() {
        let again: Vec<&Invocation> = unknown.iter().map(|i| calls[*i]).collect();
        put(&mut replies, &unknown, with_sources(transport, &again, mode).await);
    }
    Ok(replies)
}

async fn with_sources(transport: &impl Transport, calls: &[&Invocation], mode: Mode) -> Result<Replies, Error> {
    let mut commands = Vec::with_capacity(calls.len());
    for call in calls {
        commands.push(call.command("EVAL", &call.script.source()));
    }
    send(transport, commands, mode).await
}

async fn send(transport: &impl Transport, commands: Vec<Cmd>, mode: Mode) -> Result<Replies, Error> {
    Ok(transport.send(&commands, mode).await?.into_iter().map(reply).collect())
}

/// The places of the replies with such an error.
fn places(replies: &Replies, is_such: impl Fn(&Error) -> bool) -> Vec<usize> {
    (0..replies.len()).filter(|i| replies[*i].as_ref().is_err_and(&is_such)).collect()
}

/// Puts the replies of a later trip in their places. Without any, the other ones stand.
fn put(replies: &mut Replies, places: &[usize], answered: Result<Replies, Error>) {
    let answered = answered.unwrap_or_else(|error| places.iter().map(|_| Err(error.clone())).collect());
    for (i, reply) in places.iter().zip(answered) {
        replies[*i] = reply;
    }
}

/// Sorts a reply into a value or an error.
///
/// # Errors
/// What the server refused.
pub fn reply(value: Value) -> Result<Value, Error> {
    refusal(&value).map_or(Ok(value), Err)
}

/// What the server refused, if it did.
pub fn refusal(value: &Value) -> Option<Error> {
    match value {
        Value::ServerError(error) => Some(Error::from_reply(error.code(), error.detail())),
        Value::Missing(error) => Some(error.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;
    use crate::adapter::ServerError;

    static LIBRARY: Library = Library { name: "eb_1", parts: &["the", " text"] };
    static LOCKING: Library = Library { name: "eb_2", parts: &["the", " locking text"] };
    static SCRIPT: Script = Script {
        name: "s",
        library: &LIBRARY,
        function: "eb_1_s",
        locking: &LOCKING,
        reads: false,
        locks: &[],
        sha1: "abc",
        parts: &["return", " 1"],
        keys: &["k"],
        packed: 0,
        args: &["a"],
        each: &[],
    };

    /// Answers as scripted and records what it was sent.
    struct Scripted {
        answers: RefCell<Vec<Result<Vec<Value>, Error>>>,
        sent: RefCell<Vec<(String, Mode)>>,
        has_functions: Cell<bool>,
    }

    impl Transport for Scripted {
        async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
            let packed = |command: &Cmd| {
                let mut bytes = Vec::new();
                command.write(&mut bytes);
                String::from_utf8_lossy(&bytes).replace("\r\n", " ")
            };
            let names: Vec<String> = commands.iter().map(packed).collect();
            self.sent.borrow_mut().push((names.join("|"), mode));
            self.answers.borrow_mut().remove(0)
        }

        fn has_functions(&self) -> bool {
            self.has_functions.get()
        }

        fn lacks_functions(&self, _error: &Error) {
            self.has_functions.set(false);
        }

        fn refused_library(&self) {
            self.has_functions.set(false);
        }
    }

    fn refused(line: &str) -> Value {
        Value::ServerError(ServerError::new(line))
    }

    fn not_found() -> Value {
        refused("ERR Function not found")
    }

    fn noscript() -> Value {
        refused("NOSCRIPT No matching script.")
    }

    fn no_memory() -> Value {
        refused("OOM command not allowed when used memory > 'maxmemory'.")
    }

    #[track_caller]
    fn check(
        mode: Mode,
        has_functions: bool,
        answers: &[Result<Vec<Value>, Error>],
        commands: &[&str],
        expected: Result<[Result<Value, Fault>; 2], Fault>,
    ) -> bool {
        let scripted =
            Scripted { answers: RefCell::new(answers.to_vec()), sent: RefCell::default(), has_functions: Cell::new(has_functions) };
        let call = |arg: &str| Invocation { script: &SCRIPT, keys: vec!["key".into()], args: vec![arg.into()], varies: false };
        let replies = pollster::block_on(run(&scripted, &[call("one"), call("two")], mode)).map_err(|error| error.fault);
        let fault = |reply: Result<Value, Error>| reply.map_err(|error| error.fault);
        assert_eq!(replies.map(|replies| replies.into_iter().map(fault).collect()), expected.map(Vec::from));
        let mode_of = |commands: &str| if commands == LOAD { Mode::Pipeline } else { mode };
        let commands: Vec<(String, Mode)> = commands.iter().map(|commands| ((*commands).into(), mode_of(commands))).collect();
        assert_eq!(scripted.sent.take(), commands);
        scripted.has_functions.get()
    }

    const LOAD: &str = "*3 $8 FUNCTION $4 LOAD $8 the text ";
    const BOTH: &str = "*5 $5 FCALL $6 eb_1_s $1 1 $3 key $3 one |*5 $5 FCALL $6 eb_1_s $1 1 $3 key $3 two ";
    const SECOND: &str = "*5 $5 FCALL $6 eb_1_s $1 1 $3 key $3 two ";
    const BOTH_DIGESTS: &str = "*5 $7 EVALSHA $3 abc $1 1 $3 key $3 one |*5 $7 EVALSHA $3 abc $1 1 $3 key $3 two ";
    const SECOND_DIGEST: &str = "*5 $7 EVALSHA $3 abc $1 1 $3 key $3 two ";
    const SECOND_SOURCE: &str = "*5 $4 EVAL $8 return 1 $1 1 $3 key $3 two ";
    const BOTH_SOURCES: &str = "*5 $4 EVAL $8 return 1 $1 1 $3 key $3 one |*5 $4 EVAL $8 return 1 $1 1 $3 key $3 two ";
    const ONE_AND_TWO: Result<[Result<Value, Fault>; 2], Fault> = Ok([Ok(Value::Int(1)), Ok(Value::Int(2))]);

    fn ones() -> Vec<Value> {
        vec![Value::Int(1), Value::Int(2)]
    }

    #[test]
    fn a_library_that_is_not_known_is_loaded_and_its_calls_are_sent_again() {
        for mode in [Mode::Pipeline, Mode::Transaction] {
            for loaded in [Value::BulkString(b"eb_1".to_vec()), refused("ERR Library 'eb_1' already exists")] {
                let answers = [Ok(vec![not_found(), not_found()]), Ok(vec![loaded]), Ok(ones())];
                assert!(check(mode, true, &answers, &[BOTH, LOAD, BOTH], ONE_AND_TWO));
            }
        }
    }

    #[test]
    fn only_what_was_not_known_is_sent_again() {
        let answers = [Ok(vec![Value::Int(1), not_found()]), Ok(vec![Value::Okay]), Ok(vec![Value::Int(2)])];
        check(Mode::Pipeline, true, &answers, &[BOTH, LOAD, SECOND], ONE_AND_TWO);
        let answers = [Ok(vec![Value::Int(1), noscript()]), Ok(vec![Value::Int(2)])];
        check(Mode::Pipeline, false, &answers, &[BOTH_DIGESTS, SECOND_SOURCE], ONE_AND_TWO);
    }

    #[test]
    fn a_lost_later_trip_leaves_the_first_one() {
        let lost = || Err(Error::new(Fault::Lost, "closed"));
        let answers = [Ok(vec![Value::Int(1), not_found()]), Ok(vec![Value::Okay]), lost()];
        check(Mode::Pipeline, true, &answers, &[BOTH, LOAD, SECOND], Ok([Ok(Value::Int(1)), Err(Fault::Lost)]));
    }

    #[test]
    fn without_functions_sources_are_run_and_it_is_remembered() {
        let unknown = || refused("ERR unknown command 'FCALL', with args beginning with: 'eb_1_s' '1' 'key' ");
        let answers = [Ok(vec![unknown(), unknown()]), Ok(vec![noscript(), noscript()]), Ok(ones())];
        assert!(!check(Mode::Pipeline, true, &answers, &[BOTH, BOTH_DIGESTS, BOTH_SOURCES], ONE_AND_TWO));
        // A transaction is refused whole.
        let answers = [Err(Error::from_reply("ERR", "unknown command 'FCALL'")), Ok(ones())];
        assert!(!check(Mode::Transaction, true, &answers, &[BOTH, BOTH_DIGESTS], ONE_AND_TWO));
        let no_right = refused("NOPERM this user has no permissions to run the 'function|load' command");
        let answers = [Ok(vec![not_found(), not_found()]), Ok(vec![no_right]), Ok(ones())];
        assert!(!check(Mode::Pipeline, true, &answers, &[BOTH, LOAD, BOTH_DIGESTS], ONE_AND_TWO));
        check(Mode::Transaction, false, &[Ok(ones())], &[BOTH_DIGESTS], ONE_AND_TWO);
    }

    #[test]
    fn where_writes_are_refused_sources_are_run() {
        let answers = [Ok(vec![Value::Int(1), no_memory()]), Ok(vec![Value::Int(2)])];
        assert!(check(Mode::Pipeline, true, &answers, &[BOTH, SECOND_DIGEST], ONE_AND_TWO));
        let answers = [Ok(vec![not_found(), not_found()]), Ok(vec![no_memory()]), Ok(ones())];
        assert!(!check(Mode::Transaction, true, &answers, &[BOTH, LOAD, BOTH_DIGESTS], ONE_AND_TWO), "it is not sent again at once");
        // A transaction is refused whole.
        let answers = [Err(Error::from_reply("OOM", "command not allowed")), Ok(ones())];
        assert!(check(Mode::Transaction, true, &answers, &[BOTH, BOTH_DIGESTS], ONE_AND_TWO));
    }

    #[test]
    fn a_transaction_that_is_not_executed_is_not_sent_again() {
        let answers = [Err(Error::from_reply("BUSY", "Redis is busy running a script."))];
        check(Mode::Transaction, true, &answers, &[BOTH], Err(Fault::Unavailable));
    }
}
