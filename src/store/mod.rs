//! The only place that knows keys and scripts: what the application asks of Redis, in the domain's words.

pub mod activity;
pub mod curate;
pub mod erase;
pub mod explain;
pub mod ranks;
pub mod record;
pub mod target;
pub mod top;
pub mod trim;
pub mod upkeep;

use crate::adapter::{Error, Fault, Invocation, Mode, Script, Transport, Value, script};
use crate::ranking::name::Id;
use crate::ranking::page::PeriodInfo;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site, Ties};
use crate::ranking::window::{Kind, Unit, Window};
use crate::ranking::zone::{Years, ZoneSpan, Zones};
use target::Target;

include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// Every script, for tests that compare them with a server.
pub static SCRIPTS: [&Script; 9] = [&ACTIVITY, &CURATE, &ERASE, &EXPLAIN, &RANKS, &RECORD, &TOP, &TRIM, &UPKEEP];

/// A kind of window as the scripts' arguments have it.
struct WindowArgs {
    kind: &'static str,
    unit: char,
    length: u32,
    amount: String,
    at_s: u32,
}

impl WindowArgs {
    fn of(kind: Kind) -> Self {
        let args = |kind, unit, length, amount, at_s| Self { kind, unit, length, amount, at_s };
        match kind {
            Kind::Calendar(unit) => args("calendar", unit.code(), 1, "0".into(), 0),
            Kind::Rolling { unit, length } => args("rolling", unit.code(), length, "0".into(), 0),
            Kind::HalfLife { life_ms } => args("half-life", '-', 1, life_ms.to_string(), 0),
            Kind::Step { every, factor } => args("step", every.code(), 1, factor.to_string(), 0),
            Kind::Linear { resets, at_s, beta } => args("linear", resets.code(), 1, beta.to_string(), at_s),
        }
    }
}

/// What the application asks of Redis for one request: a method per script, in the file of its name.
#[derive(Clone, Copy, Debug)]
pub struct Store<'r, T, Z> {
    pub transport: T,
    pub zones: &'r Z,
    /// The time by the caller's clock, in Unix seconds. It chooses the years of a zone to send first, and nothing else; a wrong
    /// one costs a second round trip.
    pub guess_s: i64,
    /// What the names of all keys begin with.
    pub key_prefix: &'r str,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Asks whether Redis answers.
    ///
    /// # Errors
    /// Why it does not.
    pub async fn ping(&self) -> Result<(), Error> {
        let replies = self.transport.send(&[redis::cmd("PING")], Mode::Pipeline).await?;
        replies.into_iter().try_for_each(|value| script::reply(value).map(drop))
    }

    /// The key that the scripts get for a target: what all of its keys begin with.
    fn key(&self, site: &Site, target: Target) -> String {
        target.prefix(self.key_prefix, site)
    }

    /// The years of a zone around now.
    fn years(&self) -> Years {
        Years::around(self.guess_s, self.guess_s)
    }

    /// Runs scripts in one round trip, and those again that answer that the years of the zone do not reach. `years` holds for
    /// each call the years to begin with; `call` makes it from them. `dyn`, so that all scripts share the code.
    ///
    /// # Errors
    /// The outer error: no replies could be had, and every answer is that error's.
    async fn ask_all(
        &self,
        mode: Mode,
        site: &Site,
        mut years: Vec<Years>,
        call: &dyn Fn(usize, &ZoneSpan) -> Invocation,
    ) -> Result<Vec<Result<Vec<Value>, Error>>, Error> {
        /// One for the guess, one each for now and for the period that was asked for.
        const TRIES: usize = 3;
        let not_content = || Err(Error::new(Fault::Malformed, "a script is not content with any span of the zone"));
        let mut answers: Vec<Result<Vec<Value>, Error>> = years.iter().map(|_| not_content()).collect();
        let mut open: Vec<usize> = (0..years.len()).collect();
        for attempt in 0..TRIES {
            let calls: Vec<Invocation> = open.iter().map(|i| call(*i, &self.zones.span(&site.timezone, years[*i]))).collect();
            let replies = match script::run(&self.transport, &calls, mode).await {
                Ok(replies) => replies,
                Err(error) if attempt == 0 => return Err(error),
                // Those that answered before keep their answers.
                Err(error) => calls.iter().map(|_| Err(error.clone())).collect(),
            };
            let mut again = Vec::new();
            for ((i, call), reply) in open.into_iter().zip(&calls).zip(replies) {
                let answer = reply.and_then(|reply| fields(call.script, reply));
                match answer.as_ref().ok().and_then(|fields| wanted_years(fields)) {
                    Some(wanted) => {
                        years[i] = years[i].and(wanted);
                        again.push(i);
                    }
                    None => answers[i] = answer,
                }
            }
            open = again;
            if open.is_empty() {
                break;
            }
        }
        Ok(answers)
    }

    /// Runs one script.
    async fn ask(&self, site: &Site, years: Years, call: &dyn Fn(&ZoneSpan) -> Invocation) -> Result<Vec<Value>, Error> {
        let answers = self.ask_all(Mode::Pipeline, site, vec![years], &|_, zone| call(zone)).await?;
        answers.into_iter().next().unwrap_or_else(|| Err(Error::new(Fault::Malformed, "no answer")))
    }
}

/// The years that a `SPAN` reply asks for.
fn wanted_years(fields: &[Value]) -> Option<Years> {
    match fields {
        [Value::BulkString(status), _, Value::Int(from), Value::Int(until)] if status == b"SPAN" => Some(Years::around(*from, *until)),
        _ => None,
    }
}

/// A period of a window of a board, as the scripts that read are asked for it.
#[derive(Clone, Copy, Debug)]
pub struct WindowRef<'b> {
    pub site: &'b Site,
    pub board: &'b Board,
    pub window: &'b Window,
    /// `None`: the period that holds now.
    pub period: Option<Period>,
}

impl WindowRef<'_> {
    /// The years of the zone that the script will need, by a guess of the time (Unix seconds).
    fn years(&self, guess_s: i64) -> Years {
        match (self.period.and_then(|period| period.about(self.site.week_starts_on)), self.window.kind) {
            (Some(about), Kind::Calendar(_)) => Years::around(about, about),
            (Some(about), _) => Years::around(about, about).and(Years::around(guess_s, guess_s)),
            (None, _) => Years::around(guess_s, guess_s),
        }
    }

    /// The arguments `window`, `kind`, `unit`, `length`, `amount`, `at`.
    fn window_args(&self) -> Vec<String> {
        let WindowArgs { kind, unit, length, amount, at_s } = WindowArgs::of(self.window.kind);
        vec![self.window.name.to_string(), kind.into(), unit.into(), length.to_string(), amount, at_s.to_string()]
    }

    /// The arguments `min_score`, `ties`, `ranking`.
    fn view_args(&self) -> [String; 3] {
        let min_score = Score::new(self.board.min_shown(self.window)).map_or(String::new(), |score| score.to_string());
        let ties = self.board.ties.filter(|_| self.window.sums_weights()).map_or("", Ties::name);
        [min_score, ties.into(), self.board.ranking.name().into()]
    }

    fn number_arg(&self) -> String {
        self.period.map_or(String::new(), |period| period.number.to_string())
    }

    /// The arguments `day_starts_at`, `week_starts_on`, `zone`.
    fn calendar_args(&self, zone: &ZoneSpan) -> [String; 3] {
        calendar_args(self.site, zone)
    }

    /// Reads the items after the status that every reply begins with: now, number, the period's start, the window's start and
    /// end, whether it is complete; and gives the rest.
    fn head<'v>(&self, script: &Script, reply: &'v [Value]) -> Result<(PeriodInfo, &'v [Value]), Error> {
        let [_, Value::Int(now_ms), Value::Int(number), named_at, starts_at, ends_at, Value::Int(complete), rest @ ..] = reply else {
            return Err(malformed(script));
        };
        let unit = match self.window.kind {
            Kind::Calendar(unit) | Kind::Rolling { unit, .. } | Kind::Linear { resets: unit, .. } => unit,
            Kind::HalfLife { .. } | Kind::Step { .. } => Unit::All,
        };
        let instant = |value| optional_int(value).ok_or_else(|| malformed(script));
        let head = PeriodInfo {
            period: Period { unit, number: *number },
            named_at: instant(named_at)?,
            starts_at: instant(starts_at)?,
            ends_at: instant(ends_at)?,
            now_ms: *now_ms,
            complete: *complete == 1,
        };
        Ok((head, rest))
    }
}

/// The arguments `day_starts_at`, `week_starts_on`, `zone`.
fn calendar_args(site: &Site, zone: &ZoneSpan) -> [String; 3] {
    [site.day_starts_at_s.to_string(), site.week_starts_on.num_days_from_monday().to_string(), zone.to_arg()]
}

/// The items of a script's reply.
fn fields(script: &Script, reply: Value) -> Result<Vec<Value>, Error> {
    match reply {
        Value::Array(fields) if !fields.is_empty() => Ok(fields),
        _ => Err(malformed(script)),
    }
}

/// A reply's text. Not by `FromRedisValue`, whose errors print values and so bring the printing of floats into the bundle.
fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}

/// A number, or empty text for none; `None` when it is neither.
#[expect(clippy::option_option, reason = "what is not there, and what cannot be read")]
fn optional_int(value: &Value) -> Option<Option<i64>> {
    match value {
        Value::Int(number) => Some(Some(*number)),
        Value::BulkString(empty) if empty.is_empty() => Some(None),
        _ => None,
    }
}

/// A count of members, or a rank.
fn count(script: &Script, value: &Value) -> Result<u64, Error> {
    match value {
        Value::Int(number) => u64::try_from(*number).map_err(|_| malformed(script)),
        _ => Err(malformed(script)),
    }
}

fn score(script: &Script, value: &Value) -> Result<Score, Error> {
    text(value).and_then(Score::parse).ok_or_else(|| malformed(script))
}

fn id(script: &Script, value: &Value) -> Result<Id, Error> {
    text(value).and_then(Id::new).ok_or_else(|| malformed(script))
}

fn malformed(script: &Script) -> Error {
    Error::new(Fault::Malformed, format!("{} answered otherwise than its header says", script.name))
}
