//! The counters of the isolate, in the format of Prometheus.

use std::fmt::Write;

use ranking::site::Site;
use serde::Deserialize;
use serve::app::counters::BOUNDS_MS;

/// A row of [`serve::app::counters::Counters::json`].
#[derive(Clone, Deserialize)]
struct Row {
    series: String,
    site: String,
    what: String,
    status: u16,
    within_ms: u16,
    count: u64,
}

/// A series, the metric that it is, and what the metric tells apart besides the site.
struct Metric {
    series: &'static str,
    name: &'static str,
    label: &'static str,
    help: &'static str,
    kind: &'static str,
}

const METRICS: [Metric; 20] = [
    metric("requests", "requests_total", "route", "Answers, by route and status; \"\" is of no route."),
    metric("reads", "reads_total", "from", "Reads by where the answer came from: a cache, stale, while Redis is out, waited for."),
    metric("renewals", "renewals_total", "what", "Calls of scripts that read rankings; of these the failed, the looks, the unchanged."),
    metric("events", "events_total", "outcome", "Events by what became of them."),
    metric("dropped", "dropped_clicks_total", "reason", "Clicks that do not count, by the reason."),
    metric(
        "limited",
        "limited_requests_total",
        "what",
        "Requests that were refused: too many came from their network, or the site has used its quota.",
    ),
    metric("quota", "quota_total", "what", "Commands of Redis that the site's quota is taken of, as they are estimated."),
    metric(
        "redis",
        "redis_total",
        "what",
        "Trips to Redis, commands on these, and the milliseconds that they took; \"\": of no site, or of several.",
    ),
    metric("faults", "redis_faults_total", "fault", "Trips to Redis that failed, by fault; \"\": of no site, or of several."),
    metric(
        "database",
        "database_total",
        "what",
        "Trips to the relational database, statements on these, rows that it bills, their milliseconds, and the failed.",
    ),
    metric("queue", "queue_messages_total", "what", "Messages of the queue: sent and not-sent; of those delivered done, again and dead."),
    metric(
        "forward",
        "forward_messages_total",
        "what",
        "Messages that the receiver of forward did not take: kept for it, of these sent later, and dropped for good.",
    ),
    metric("job-runs", "job_runs_total", "job", "Chunks of upkeep and repair, and looks whether periods are to be frozen."),
    metric("job-members", "job_members_total", "job", "Members that jobs looked at."),
    metric("job-ms", "job_milliseconds_total", "job", "What jobs took."),
    metric("jobs-busy", "jobs_busy_total", "job", "Chunks that found somebody else at work."),
    metric("jobs-failed", "jobs_failed_total", "job", "Jobs that failed."),
    metric(
        "live",
        "live_total",
        "what",
        "Of live rankings: viewers that came, were refused or limited by address, looks, versions that were sent.",
    ),
    Metric { kind: "gauge", ..metric("job-done", "job_last_success_timestamp_seconds", "job", "When a job last succeeded.") },
    Metric {
        kind: "gauge",
        ..metric("live-viewers", "live_viewers", "when", "Viewers of live rankings, as far as their objects are here.")
    },
];

const fn metric(series: &'static str, name: &'static str, label: &'static str, help: &'static str) -> Metric {
    Metric { series, name, label, help, kind: "counter" }
}

/// What this isolate counted for a site, and for no site in particular. `counts` is JSON.
pub fn describe(site: &Site, counts: &str, text: &mut String) {
    let rows = serde_json::from_slice::<Vec<Row>>(counts.as_bytes()).unwrap_or_default();
    let rows = rows.into_iter().filter(|row| row.site.is_empty() || row.site == site.name.as_str()).flat_map(twice);
    let timed = together(rows);
    text.push_str("# HELP edgeboard_isolate_info Which isolate answers.\n# TYPE edgeboard_isolate_info gauge\n");
    for Row { what: name, .. } in timed.iter().filter(|row| row.series == "isolate") {
        let _ = writeln!(text, "edgeboard_isolate_info{{isolate=\"{name}\"}} 1");
    }
    let rows = together(timed.iter().cloned().map(|row| Row { within_ms: 0, ..row }));
    for Metric { series, name, label, help, kind } in &METRICS {
        head(text, name, help, kind);
        for Row { site, what, status, count, .. } in rows.iter().filter(|row| row.series == *series) {
            let _ = write!(text, "edgeboard_isolate_{name}{{site=\"{site}\",{label}=\"{what}\"");
            let _ = if *status == 0 { Ok(()) } else { write!(text, ",status=\"{status}\"") };
            let _ = writeln!(text, "}} {count}");
        }
    }
    describe_times(&timed, text);
}

/// What answers took, by route and class of status.
fn describe_times(rows: &[Row], text: &mut String) {
    const NAME: &str = "request_duration_milliseconds";
    head(text, NAME, "What answers waited for: the clock of the edge stands while nothing is waited for.", "histogram");
    let of_class = rows.iter().cloned().map(|row| Row { status: row.status / 100, ..row });
    let rows = together(of_class.filter(|row| row.series == "requests" || row.series == "request-ms"));
    let requests = |row: &&Row| row.series == "requests";
    let routes = together(rows.iter().filter(requests).cloned().map(|row| Row { within_ms: 0, ..row }));
    for Row { site, what: route, status: class, count, .. } in routes {
        let labels = format!("site=\"{site}\",route=\"{route}\",status=\"{class}xx\"");
        let is_it = |row: &&Row| (&row.site, &row.what, row.status) == (&site, &route, class);
        for bound in BOUNDS_MS {
            let within = rows.iter().filter(requests).filter(is_it).filter(|row| row.within_ms <= bound);
            let within: u64 = within.map(|row| row.count).sum();
            let _ = writeln!(text, "edgeboard_isolate_{NAME}_bucket{{{labels},le=\"{bound}\"}} {within}");
        }
        let sum: u64 = rows.iter().filter(|row| !requests(row)).filter(is_it).map(|row| row.count).sum();
        let _ = writeln!(text, "edgeboard_isolate_{NAME}_bucket{{{labels},le=\"+Inf\"}} {count}");
        let _ = writeln!(text, "edgeboard_isolate_{NAME}_sum{{{labels}}} {sum}");
        let _ = writeln!(text, "edgeboard_isolate_{NAME}_count{{{labels}}} {count}");
    }
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP edgeboard_isolate_{name} {help} Of this isolate alone, since it began.");
    let _ = writeln!(text, "# TYPE edgeboard_isolate_{name} {kind}");
}

/// What was given again is a request and a read from memory.
fn twice(row: Row) -> Vec<Row> {
    if row.series != "kept" {
        return vec![row];
    }
    let read = Row { series: "reads".into(), what: "memory".into(), status: 0, within_ms: 0, ..row.clone() };
    vec![Row { series: "requests".into(), ..row }, read]
}

/// Rows of the same, as one.
fn together(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut all: Vec<Row> = Vec::new();
    for row in rows {
        let name = |row: &Row| (row.series.clone(), row.site.clone(), row.what.clone(), row.status, row.within_ms);
        match all.iter_mut().find(|other| name(other) == name(&row)) {
            Some(other) => other.count += row.count,
            None => all.push(row),
        }
    }
    all
}
