//! `GET /v1/{site}/admin/metrics`: figures of a site's boards from Redis, and those of the isolate that answers, in the format of Prometheus.
//!
//! Figures from Redis are exact. Figures of the isolate are named as such: the next request may be answered by
//! another one, which `edgeboard_isolate_info` tells.

pub mod history;
mod isolate;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

use http::{Response, StatusCode};
use ranking::site::{Quota, Site};
use ranking::template::Template;
use serde::Deserialize;
use serve::api::Problem;
use serve::api::uncached;
use serve::app::failure::Failure;
use serve::app::quota::Used;
use serve::app::rankings::{Available, PeriodRef, Read, ReadRequest};
use serve::app::{App, Runtime};

use crate::app::Admin;
use crate::app::archive::Following;
use crate::app::copies::{Loss, LossCode};
use crate::app::upkeep::{Done, WindowUpkeep};

const TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What is read of `GET /v1/{site}/top`.
#[derive(Deserialize)]
struct Rankings {
    boards: Vec<Ranking>,
}

#[derive(Deserialize)]
struct Ranking {
    board: String,
    window: String,
    complete: bool,
    /// By the clock of Redis.
    generated_at: String,
    total: u64,
    #[serde(default)]
    refused: u64,
}

/// 1. 503 when Redis does not answer.
/// 2. 200 with the metrics: two round trips, whatever the site has, and one more where it has templates, or a quota. While a node of a cluster is gone,
///    `edgeboard_board_available` names its boards, and what that node would say is left out.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>) -> Result<Response<Vec<u8>>, Problem> {
    let period = |board: &Rc<_>, window| PeriodRef { board: Rc::clone(board), window, period: None, hour_starts_at: None };
    let of = site.boards.values().flat_map(|board| board.windows.iter().map(move |window| period(board, window.clone())));
    let read = Read::Tops { of: of.collect(), limit: 1 };
    let request = ReadRequest { site: Rc::clone(site), read, by: String::new() };
    let Available { entry, unavailable } = app.rankings().read_available(&request, None, false).await?;
    let mut unavailable: BTreeSet<String> = unavailable.iter().map(ToString::to_string).collect();
    let read = serde_json::from_slice::<Rankings>(&entry.json).map_err(|error| Problem::internal(error.to_string()))?;
    let mut text = describe_windows(site, &read.boards);
    describe_clocks(site, &read.boards, app.runtime.clock_ms(), &mut text);
    describe_upkeep(site, Admin(app).upkeep().upkeep_progress(site).await, &mut unavailable, &mut text)?;
    describe_availability(site, &unavailable, &mut text);
    let is_part = !read.boards.is_empty();
    if let Some(templates) = answered(app.templates().count_boards(site).await, is_part)? {
        describe_templates(site, &templates, &mut text);
    }
    // Where nobody knows, the lines are left out.
    if let Ok((loss, following)) = Admin(app).copies().known_of_copies(site).await {
        describe_loss(site, loss, &mut text);
        describe_archive(site, &following, &mut text);
    }
    if site.quota.is_bounded() {
        let used = answered(app.admission().quotas.used(site, &app.templates()).await, is_part)?;
        if let Some(used) = used {
            describe_quota(site, used, &mut text);
        }
    }
    isolate::describe(site, &app.runtime.counts(&app.memory.counters), &mut text);
    Ok(uncached(StatusCode::OK, TYPE, text.into_bytes()))
}

/// What Redis answers; `None` where it does not, and `is_part` of it does: a node of a cluster is gone.
fn answered<T>(answer: Result<T, Failure>, is_part: bool) -> Result<Option<T>, Problem> {
    match answer {
        Err(failure) if is_part && failure.is_transient => Ok(None),
        answer => answer.map(Some).map_err(Problem::redis),
    }
}

fn describe_availability(site: &Site, unavailable: &BTreeSet<String>, text: &mut String) {
    let name = "edgeboard_board_available";
    head(text, name, "1: Redis answers about the board. 0: its node of a cluster is gone, and its other figures are not here.");
    for (board, _) in site.boards.iter() {
        let _ = writeln!(text, "{name}{{site=\"{}\",board=\"{board}\"}} {}", site.name, u8::from(!unavailable.contains(board.as_str())));
    }
}

fn describe_windows(site: &Site, rankings: &[Ranking]) -> String {
    let mut text = String::new();
    let mut metric = |name: &str, help: &str, value: &dyn Fn(&Ranking) -> u64| {
        head(&mut text, name, help);
        for ranking in rankings {
            let _ = writeln!(text, "{name}{} {}", labels(site, &ranking.board, &ranking.window), value(ranking));
        }
    };
    metric("edgeboard_members", "Members of the current period that are shown.", &|ranking| ranking.total);
    let max = |ranking: &Ranking| {
        let board = site.boards.get(&ranking.board);
        board.and_then(|board| Some(board.max_members.of(board.window(&ranking.window)?))).map_or(0, u64::from)
    };
    metric("edgeboard_members_max", "Members that a period may have: max_members.", &max);
    metric("edgeboard_refused_events", "Events of new members that the current period refused because it was full.", &|ranking| {
        ranking.refused
    });
    metric("edgeboard_complete", "1: every member's score is right. 0: the window is being repaired.", &|ranking| {
        u64::from(ranking.complete)
    });
    text
}

/// Of templates, never of their boards: there may be thousands. Nothing where a site has none.
fn describe_templates(site: &Site, templates: &[(&Template, u64)], text: &mut String) {
    let mut metric = |name: &str, help: &str, value: &dyn Fn(&(&Template, u64)) -> u64| {
        head(text, name, help);
        for of in templates {
            let _ = writeln!(text, "{name}{{site=\"{}\",template=\"{}\"}} {}", site.name, of.0.board.name, value(of));
        }
    };
    if !templates.is_empty() {
        metric("edgeboard_template_boards", "Boards of a template, those included that are being deleted.", &|(_, boards)| *boards);
        let help = "Boards that a template may have: max_boards.";
        metric("edgeboard_template_boards_max", help, &|(template, _)| template.max_boards.into());
    }
}

/// What a site uses, and the bounds that it has.
fn describe_quota(site: &Site, used: Used, text: &mut String) {
    let Quota { boards, members, commands_per_month } = site.quota;
    let options = [
        ("boards", used.boards, boards),
        ("members", used.members.into(), members),
        ("commands_per_month", used.commands, commands_per_month),
    ];
    let bounded = || options.into_iter().filter_map(|(option, used, most)| Some((option, used, most?)));
    head(text, "edgeboard_quota_used", "What the site uses of its quota.");
    for (option, used, _) in bounded() {
        let _ = writeln!(text, "edgeboard_quota_used{{site=\"{}\",option=\"{option}\"}} {used}", site.name);
    }
    head(text, "edgeboard_quota_max", "What its quota allows.");
    for (option, _, most) in bounded() {
        let _ = writeln!(text, "edgeboard_quota_max{{site=\"{}\",option=\"{option}\"}} {most}", site.name);
    }
}

/// Nothing where nothing was read.
fn describe_clocks(site: &Site, rankings: &[Ranking], edge_ms: u64, text: &mut String) {
    let read_at = |ranking: &Ranking| Some(chrono::DateTime::parse_from_rfc3339(&ranking.generated_at).ok()?.timestamp_millis());
    let Some(redis_ms) = rankings.iter().filter_map(read_at).max() else { return };
    let ahead_s = (redis_ms - i64::try_from(edge_ms).unwrap_or(i64::MAX)) / 1_000;
    let name = "edgeboard_clock_difference_seconds";
    head(
        text,
        name,
        "Seconds by which the clock of Redis is ahead of the worker's. Nothing is copied from Redis while they differ by an hour.",
    );
    let _ = writeln!(text, "{name}{{site=\"{}\"}} {ahead_s}", site.name);
}

/// Boards that do not answer are added to those that are unavailable.
fn describe_upkeep(
    site: &Site,
    windows: Vec<WindowUpkeep<'_>>,
    unavailable: &mut BTreeSet<String>,
    text: &mut String,
) -> Result<(), Problem> {
    let mut rolling = Vec::new();
    for WindowUpkeep { board, window, done } in windows {
        match answered(done, true)? {
            Some(Done::Rolling(progress)) => rolling.push((labels(site, board.name.as_str(), window.name.as_str()), progress)),
            Some(_) => {}
            None => drop(unavailable.insert(board.name.to_string())),
        }
    }
    head(text, "edgeboard_upkeep_members", "Members that upkeep has to look at.");
    for (labels, progress) in &rolling {
        let _ = writeln!(text, "edgeboard_upkeep_members{labels} {}", progress.total);
    }
    head(text, "edgeboard_upkeep_scanned_members", "Members that upkeep has looked at.");
    for (labels, progress) in &rolling {
        let _ = writeln!(text, "edgeboard_upkeep_scanned_members{labels} {}", progress.scanned);
    }
    head(text, "edgeboard_upkeep_last_run_timestamp_seconds", "When upkeep last worked at the window.");
    for (labels, progress) in rolling.iter().filter(|(_, progress)| progress.last_run_ms != 0) {
        let _ = writeln!(text, "edgeboard_upkeep_last_run_timestamp_seconds{labels} {}", progress.last_run_ms / 1000);
    }
    Ok(())
}

/// Until when the archives of boards follow, as upkeep noted it.
fn describe_archive(site: &Site, following: &BTreeMap<String, Following>, text: &mut String) {
    let mut metric = |name: &str, help: &str, value: &dyn Fn(&Following) -> i64| {
        head(text, name, help);
        for (board, of) in following {
            let _ = writeln!(text, "{name}{{site=\"{}\",board=\"{board}\"}} {}", site.name, value(of));
        }
    };
    let behind = |of: &Following| i64::try_from(of.behind.len()).unwrap_or(i64::MAX);
    metric("edgeboard_archive_behind_periods", "Archived periods in which something changed that their archives do not have yet.", &behind);
    let help = "What changed in archived periods until then is in the archive.";
    metric("edgeboard_archive_until_timestamp_seconds", help, &|of| of.whole_until_ms() / 1_000);
}

fn describe_loss(site: &Site, loss: Option<Loss>, text: &mut String) {
    let is = |code| u8::from(loss.is_some_and(|loss| loss.code == code));
    let mut metric = |name: &str, help: &str, value: i64| {
        head(text, name, help);
        let _ = writeln!(text, "{name}{{site=\"{}\"}} {value}", site.name);
    };
    metric("edgeboard_redis_lost", "1: Redis lost what it had, and nobody has restored or accepted that.", is(LossCode::RedisLost).into());
    metric(
        "edgeboard_redis_behind",
        "1: Redis is an earlier one, and nobody has restored or accepted that.",
        is(LossCode::RedisBehind).into(),
    );
    if let Some(since) = loss.and_then(|loss| loss.since) {
        let help = "What was counted since then may be missing.";
        metric("edgeboard_redis_behind_since_timestamp_seconds", help, since);
    }
}

fn head(text: &mut String, name: &str, help: &str) {
    let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n");
}

/// Names are letters, digits and -, so nothing is escaped.
fn labels(site: &Site, board: &str, window: &str) -> String {
    format!("{{site=\"{}\",board=\"{board}\",window=\"{window}\"}}", site.name)
}
