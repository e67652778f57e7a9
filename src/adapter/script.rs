//! Lua scripts, run by their digest.

use super::{Cmd, Error, Fault, Mode, Transport, Value};

/// A script that build.rs assembled from lua/.
#[derive(Debug)]
pub struct Script {
    pub name: &'static str,
    pub sha1: &'static str,
    /// What its source is assembled from. The compiler keeps once what several scripts share. Empty in the everyday module, whose
    /// transport asks the whole one for sources.
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
}

/// A script with its keys and arguments.
#[derive(Debug)]
pub struct Invocation {
    pub script: &'static Script,
    pub keys: Vec<String>,
    pub args: Vec<String>,
}

impl Invocation {
    fn command(&self, name: &str, script: &str) -> Cmd {
        let mut command = Cmd::new(name);
        command.arg(script).arg(self.keys.len().to_string()).args(&self.keys).args(&self.args);
        command
    }
}

/// Runs scripts in one round trip, or in two when the server does not know one of them. Only those that it answered NOSCRIPT
/// for are sent again, with their source. It did not run these, so none ever runs twice.
///
/// Each trip of a transaction is a transaction of its own, so what is sent again may part from the others. Invocations of the
/// same script never part: the server knows it for all of a transaction or for none of it.
///
/// # Errors
/// The outer error: no replies could be had, and every outcome is that error's. The inner: that script was refused.
pub async fn run(transport: &impl Transport, invocations: &[Invocation], mode: Mode) -> Result<Vec<Result<Value, Error>>, Error> {
    let commands: Vec<Cmd> = invocations.iter().map(|call| call.command("EVALSHA", call.script.sha1)).collect();
    let mut replies: Vec<Result<Value, Error>> = transport.send(&commands, mode).await?.into_iter().map(reply).collect();
    let unknown = |reply: &Result<Value, Error>| reply.as_ref().is_err_and(|error| error.fault == Fault::NoScript);
    let unknown: Vec<usize> = (0..replies.len()).filter(|i| unknown(&replies[*i])).collect();
    if !unknown.is_empty() {
        let again: Vec<&Invocation> = unknown.iter().map(|i| &invocations[*i]).collect();
        let answered: Vec<Result<Value, Error>> = match with_source(transport, &again, mode).await {
            Ok(answered) => answered.into_iter().map(reply).collect(),
            // The first trip's other replies stand.
            Err(error) => unknown.iter().map(|_| Err(error.clone())).collect(),
        };
        for (i, reply) in unknown.into_iter().zip(answered) {
            replies[i] = reply;
        }
    }
    for (call, reply) in invocations.iter().zip(&replies) {
        if let Some(error) = reply.as_ref().err().filter(|error| error.is_of_script()) {
            transport.script_failed(call, error);
        }
    }
    Ok(replies)
}

async fn with_source(transport: &impl Transport, invocations: &[&Invocation], mode: Mode) -> Result<Vec<Value>, Error> {
    let mut commands = Vec::with_capacity(invocations.len());
    for call in invocations {
        commands.push(call.command("EVAL", &transport.source(call.script).await?));
    }
    transport.send(&commands, mode).await
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
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::adapter::ServerError;

    static SCRIPT: Script = Script { name: "s", sha1: "abc", parts: &["return", " 1"], keys: &["k"], packed: 0, args: &["a"], each: &[] };

    /// Answers as scripted and records what it was sent.
    struct Scripted {
        answers: RefCell<Vec<Result<Vec<Value>, Error>>>,
        sent: RefCell<Vec<(String, Mode)>>,
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
    }

    fn noscript() -> Value {
        Value::ServerError(ServerError::new("NOSCRIPT No matching script."))
    }

    #[track_caller]
    fn check(mode: Mode, answers: &[Result<Vec<Value>, Error>], commands: &[&str], expected: Result<[Result<Value, Fault>; 2], Fault>) {
        let scripted = Scripted { answers: RefCell::new(answers.to_vec()), sent: RefCell::default() };
        let call = |arg: &str| Invocation { script: &SCRIPT, keys: vec!["key".into()], args: vec![arg.into()] };
        let replies = pollster::block_on(run(&scripted, &[call("one"), call("two")], mode)).map_err(|error| error.fault);
        let fault = |reply: Result<Value, Error>| reply.map_err(|error| error.fault);
        assert_eq!(replies.map(|replies| replies.into_iter().map(fault).collect()), expected.map(Vec::from));
        let commands: Vec<(String, Mode)> = commands.iter().map(|commands| ((*commands).into(), mode)).collect();
        assert_eq!(scripted.sent.take(), commands);
    }

    const BOTH: &str = "*5 $7 EVALSHA $3 abc $1 1 $3 key $3 one |*5 $7 EVALSHA $3 abc $1 1 $3 key $3 two ";
    const SECOND: &str = "*5 $4 EVAL $8 return 1 $1 1 $3 key $3 two ";
    const BOTH_SOURCES: &str = "*5 $4 EVAL $8 return 1 $1 1 $3 key $3 one |*5 $4 EVAL $8 return 1 $1 1 $3 key $3 two ";

    #[test]
    fn only_the_unknown_script_is_sent_again() {
        let answers = [Ok(vec![Value::Int(1), noscript()]), Ok(vec![Value::Int(2)])];
        check(Mode::Pipeline, &answers, &[BOTH, SECOND], Ok([Ok(Value::Int(1)), Ok(Value::Int(2))]));
    }

    #[test]
    fn a_lost_second_trip_leaves_the_first_one() {
        let answers = [Ok(vec![Value::Int(1), noscript()]), Err(Error::new(Fault::Lost, "closed"))];
        check(Mode::Pipeline, &answers, &[BOTH, SECOND], Ok([Ok(Value::Int(1)), Err(Fault::Lost)]));
    }

    #[test]
    fn a_transaction_of_an_unknown_script_leads_to_one_with_its_source() {
        let answers = [Ok(vec![noscript(), noscript()]), Ok(vec![Value::Int(1), Value::Int(2)])];
        check(Mode::Transaction, &answers, &[BOTH, BOTH_SOURCES], Ok([Ok(Value::Int(1)), Ok(Value::Int(2))]));
    }

    #[test]
    fn a_transaction_that_is_not_executed_is_not_sent_again() {
        let answers = [Err(Error::from_reply("OOM", "command not allowed"))];
        check(Mode::Transaction, &answers, &[BOTH], Err(Fault::Unavailable));
    }
}
