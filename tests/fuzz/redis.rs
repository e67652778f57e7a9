//! A Redis that answers what a real one answered to the same script, often changed, and sometimes with an error.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::adapter::resp::Request;
use engine::adapter::{Cmd, Error, Fault, Mode, ServerError, Transport, Value};
use engine::store::scripts::SCRIPTS;

use crate::random::Random;
use crate::runtime::{Link, NativeRuntime};
use crate::support::Connection;

const FAULTS: [Fault; 6] = [Fault::Connect, Fault::Lost, Fault::Malformed, Fault::Gateway, Fault::Unauthorized, Fault::Unavailable];
const ERRORS: [&str; 11] = [
    "NOSCRIPT No matching script.",
    "LOADING Redis is loading the dataset in memory",
    "BUSY Redis is busy running a script.",
    "OOM command not allowed when used memory > 'maxmemory'.",
    "READONLY You can't write against a read only replica.",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ERR user_script:1: attempt to index a nil value script: cd204846, on @user_script:1.",
    "UNTOUCHED OOM command not allowed script: e3398974, on @user_script:7.",
    "LAYOUT Redis holds layout 3, this version knows 2",
    "NOPERM this user has no permissions",
    "",
];

/// Replies of a real Redis, by script or command.
#[derive(Default)]
pub struct Recorded {
    replies: RefCell<BTreeMap<String, Vec<Value>>>,
    /// How much goes wrong from now on.
    pub mood: Cell<Mood>,
    pub random: RefCell<Option<Random>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Mood {
    /// Replies are asked of the real Redis, and kept.
    #[default]
    Recording,
    /// Every reply is one that was kept.
    Honest,
    /// One number or text of a reply may be another one.
    Lying,
    /// Errors as well.
    Failing,
}

/// A way to it.
#[derive(Clone)]
pub struct MadeUp {
    pub recorded: Rc<Recorded>,
    pub real: Rc<Connection>,
}

impl Link for MadeUp {
    type Transport = Self;

    fn open(runtime: &NativeRuntime<Self>) -> Self {
        runtime.link().clone()
    }
}

impl Transport for MadeUp {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let mood = self.recorded.mood.get();
        if mood == Mood::Recording {
            let answers = self.real.exchange_as(commands, mode)?;
            for (command, answer) in commands.iter().zip(&answers) {
                self.recorded.replies.borrow_mut().entry(name(command)).or_default().push(answer.clone());
            }
            return Ok(answers);
        }
        let random = &mut *self.recorded.random.borrow_mut();
        let random = random.as_mut().expect("made for each input");
        if mood == Mood::Failing && random.once_in(3) {
            return Err(Error::new(*random.pick(&FAULTS), "hidden detail"));
        }
        let answers: Vec<Value> = commands.iter().map(|command| self.recorded.answer(command, mood, random)).collect();
        let request = Request::new(commands, mode);
        if request.sent().count() == commands.len() {
            return Ok(answers);
        }
        // As a transaction: each is queued, then all are answered.
        let queued = std::iter::repeat_n(Value::SimpleString("QUEUED".into()), commands.len());
        let replies = std::iter::once(Value::Okay).chain(queued).chain([Value::Array(answers)]).collect();
        request.answers(replies)
    }
}

impl Recorded {
    fn answer(&self, command: &Cmd, mood: Mood, random: &mut Random) -> Value {
        if mood == Mood::Failing && random.once_in(2) {
            return Value::ServerError(ServerError::new(*random.pick(&ERRORS)));
        }
        let replies = self.replies.borrow();
        let Some(kept) = replies.get(&name(command)) else { return Value::Nil };
        let mut reply = random.pick(kept).clone();
        if mood != Mood::Honest {
            change(random, &mut reply);
        }
        reply
    }

    /// What was recorded.
    pub fn names(&self) -> Vec<String> {
        self.replies.borrow().keys().cloned().collect()
    }
}

/// Changes a reply in one place.
pub fn change(random: &mut Random, reply: &mut Value) {
    match reply {
        Value::Array(items) if !items.is_empty() && !random.once_in(16) => {
            let at = random.below(items.len());
            match random.below(12) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => change(random, &mut items[at]),
            }
        }
        _ => *reply = value(random, 2),
    }
}

/// Any reply, at most so deep.
pub fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 9 } else { 11 }) {
        0 => Value::Nil,
        1 | 2 => Value::Int(random.whole()),
        3 => Value::BulkString(random.whole().to_string().into()),
        4 => Value::BulkString(f64::from_bits(random.next()).to_string().into()),
        5 => Value::BulkString(random.text().into()),
        6 => Value::BulkString(random.next().to_le_bytes().into()),
        7 => Value::Okay,
        8 => Value::ServerError(ServerError::new(*random.pick(&ERRORS))),
        _ => Value::Array((0..random.below(4)).map(|_| value(random, depth - 1)).collect()),
    }
}

/// The script's name, or the command's.
fn name(command: &Cmd) -> String {
    let words: Vec<&[u8]> = command.words().take(2).collect();
    let named = words.get(1).map_or("", |word| std::str::from_utf8(word).unwrap_or_default());
    let script = SCRIPTS.iter().find(|script| named == script.function || named == script.sha1 || named == script.source());
    script.map_or_else(|| String::from_utf8_lossy(words[0]).into_owned(), |script| script.name.to_owned())
}
