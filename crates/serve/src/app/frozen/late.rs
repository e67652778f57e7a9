//! The frozen periods of late events: their rows lack the events until somebody freezes the periods anew.
//!
//! # Out of scope
//! Undos, whose instant Redis alone knows, events of browsers, and decaying windows, which nothing freezes anew.
//!
//! Frozen periods are found by the instants of events. A row has the start and the end of its period, so the edge computes no
//! period. An event that is less than five minutes old cannot be of a frozen one, so usual events ask nothing.

use ranking::counting::Outcome;
use ranking::event::{Batch, Event, SenderClass, When};
use ranking::site::Site;
use ranking::window::{Kind, Unit, Window};
use serde_json::{Value, json};

use super::{FrozenReads, GRACE_MS, sql};
use crate::app::ports::Runtime;

/// Instants that are asked for together, in seconds: no period begins within a minute.
const MINUTE_S: i64 = 60;
const DAY_S: i64 = 86_400;

/// Frozen periods of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenPeriods {
    pub board: String,
    pub window: String,
    /// Their ids, the oldest first.
    pub periods: Vec<String>,
}

/// What is known of the frozen periods that events are of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Touched {
    /// No event is late enough for any.
    #[default]
    None,
    Periods(Vec<FrozenPeriods>),
    /// The database does not answer.
    Unknown,
}

impl<R: Runtime> FrozenReads<'_, R> {
    /// The frozen periods that events of servers are of which counted, now or before: an answer may have been lost. Nothing is asked where no
    /// event is older than a period is before it is frozen.
    pub async fn touched(&self, site: &Site, counted: &[(&Batch, &[Outcome])]) -> Touched {
        let edge_ms = self.clock.edge_ms();
        let of_servers = |batch: &Batch| matches!(batch.sender, SenderClass::Server | SenderClass::QueuedServer);
        let has_late = |(batch, outcomes): &(&Batch, &[Outcome])| {
            of_servers(batch) && batch.events.iter().zip(*outcomes).any(|(event, outcome)| late_at(event, *outcome, edge_ms).is_some())
        };
        let late: Vec<_> = counted.iter().filter(|pair| has_late(pair)).collect();
        if late.is_empty() || !site.has_history() {
            return Touched::None;
        }
        let senders: Vec<&Batch> = late.iter().map(|(batch, _)| *batch).collect();
        let Ok(informed) = self.catalog.informed(site, &senders).await else { return Touched::Unknown };
        let site = informed.site.as_deref().unwrap_or(site);
        let (mut windows, mut instants) = (Vec::new(), Vec::new());
        for board in site.boards.values().filter(|board| board.history > 0) {
            let events = late.iter().flat_map(|(batch, outcomes)| batch.events.iter().zip(*outcomes));
            let on_board = events.filter(|(event, _)| board.counts(event, &informed.facts).is_some());
            let mut of_board: Vec<i64> = on_board
                .filter_map(|(event, outcome)| late_at(event, *outcome, edge_ms))
                .map(|at_ms| at_ms / 1_000 / MINUTE_S * MINUTE_S)
                .collect();
            of_board.sort_unstable();
            of_board.dedup();
            if of_board.is_empty() {
                continue;
            }
            instants.extend(of_board.into_iter().map(|at| json!([board.name.as_str(), at])));
            let frozen = board.windows.iter().filter(|window| board.freezes_anew(window));
            windows.extend(frozen.map(|window| json!([board.name.as_str(), window.name.as_str(), longest_s(window)])));
        }
        if instants.is_empty() {
            return Touched::None;
        }
        let asked = [sql::around(&site.name, json!(windows).to_string(), json!(instants).to_string())];
        let Ok(answer) = self.tables.query(&asked).await else { return Touched::Unknown };
        let mut found: Vec<FrozenPeriods> = Vec::new();
        for row in answer.into_iter().flatten() {
            let text = |column| row.get(column).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (board, window, period) = (text("board"), text("window_name"), text("period"));
            match found.last_mut() {
                Some(last) if last.board == board && last.window == window => last.periods.push(period),
                _ => found.push(FrozenPeriods { board, window, periods: vec![period] }),
            }
        }
        if found.is_empty() { Touched::None } else { Touched::Periods(found) }
    }

    /// Says in the log which frozen periods late events are of, whose senders had their answers before.
    pub async fn log_touched(&self, site: &Site, counted: &[(&Batch, &[Outcome])]) {
        let Touched::Periods(found) = self.touched(site, counted).await else { return };
        for FrozenPeriods { board, window, periods } in found {
            let command = format!("POST /v1/{}/admin/boards/{board}/freeze?window={window}&period=…", site.name);
            let detail = format!("late events counted in periods that were frozen before; {command} freezes one anew");
            let (code, site) = ("frozen-period-changed", site.name.as_str());
            let line = json!({ "level": "warn", "code": code, "site": site, "board": board, "window": window, "periods": periods, "detail": detail });
            self.log.log(&line);
        }
    }
}

/// When (Unix milliseconds) an event happened that counted, where that may be in a frozen period.
fn late_at(event: &Event, outcome: Outcome, edge_ms: i64) -> Option<i64> {
    let at_ms = match event.when {
        When::Now => return None,
        When::Ago(ago_ms) => edge_ms - i64::try_from(ago_ms).ok()?,
        When::At(at_ms) => i64::try_from(at_ms).ok()?,
    };
    (!event.undo && matches!(outcome, Outcome::Counted | Outcome::Duplicate) && at_ms <= edge_ms - GRACE_MS).then_some(at_ms)
}

/// No period of a window is longer, in seconds.
fn longest_s(window: &Window) -> i64 {
    match window.kind {
        Kind::Calendar(Unit::Season) => {
            window.seasons.iter().map(|season| season.ends - season.starts + 2 * DAY_S).max().unwrap_or_default()
        }
        Kind::Calendar(unit) => unit.longest_s(),
        Kind::Rolling { unit, length } => unit.longest_s() * i64::from(length),
        Kind::HalfLife { .. } | Kind::Step { .. } | Kind::Linear { .. } => 0,
    }
}
