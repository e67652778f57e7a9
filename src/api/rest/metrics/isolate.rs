//! What isolates count by themselves, as Prometheus reads it.

use std::fmt::Write;

use crate::ranking::site::Site;

/// A row of [`crate::app::counters::Counters::json`].
type Row = (String, String, String, u16, u64);

/// A series, the metric that it is, and what the metric tells apart besides the site.
struct Metric {
    series: &'static str,
    name: &'static str,
    label: &'static str,
    help: &'static str,
    kind: &'static str,
}

const METRICS: [Metric; 15] = [
    metric("requests", "requests_total", "route", "Answers, by route and status; \"\" is of no route."),
    metric("reads", "reads_total", "from", "Reads by where the answer came from: a cache, stale, while Redis is out, waited for."),
    metric("renewals", "renewals_total", "what", "Calls of scripts that read rankings; of these the failed, the looks, the unchanged."),
    metric("events", "events_total", "outcome", "Events by what became of them."),
    metric("dropped", "dropped_clicks_total", "reason", "Clicks that do not count, by the reason."),
    metric("limited", "limited_requests_total", "what", "Requests that were refused since too many came from their network."),
    metric("redis", "redis_total", "what", "Trips to Redis, commands on these, and the milliseconds that they took; of all sites."),
    metric("faults", "redis_faults_total", "fault", "Trips to Redis that failed, by fault; of all sites."),
    metric("job-runs", "job_runs_total", "job", "Chunks of upkeep and repair."),
    metric("job-members", "job_members_total", "job", "Members that upkeep and repair looked at."),
    metric("job-ms", "job_milliseconds_total", "job", "What chunks of upkeep and repair took."),
    metric("jobs-busy", "jobs_busy_total", "job", "Chunks that found somebody else at work."),
    metric("jobs-failed", "jobs_failed_total", "job", "Chunks that failed."),
    metric("live", "live_total", "what", "Of live rankings: viewers that came, were refused, looks, versions that were sent."),
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
    let rows = together(rows.into_iter().filter(|row| row.1.is_empty() || row.1 == site.name.as_str()));
    text.push_str("# HELP edgeboard_isolate_info Which isolate answers.\n# TYPE edgeboard_isolate_info gauge\n");
    for (.., name, _, _) in rows.iter().filter(|row| row.0 == "isolate") {
        let _ = writeln!(text, "edgeboard_isolate_info{{isolate=\"{name}\"}} 1");
    }
    for Metric { series, name, label, help, kind } in &METRICS {
        let _ = writeln!(text, "# HELP edgeboard_isolate_{name} {help} Of this isolate alone, since it began.");
        let _ = writeln!(text, "# TYPE edgeboard_isolate_{name} {kind}");
        for (_, of, what, status, count) in rows.iter().filter(|row| row.0 == *series) {
            let _ = write!(text, "edgeboard_isolate_{name}{{site=\"{of}\",{label}=\"{what}\"");
            let _ = if *status == 0 { Ok(()) } else { write!(text, ",status=\"{status}\"") };
            let _ = writeln!(text, "}} {count}");
        }
    }
}

/// Both modules count, and what was given again is a request and a read from memory.
fn together(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut all: Vec<Row> = Vec::new();
    let mut add = |series: &str, site: &str, what: &str, status: u16, count: u64| {
        let is_it = |row: &&mut Row| (&*row.0, &*row.1, &*row.2, row.3) == (series, site, what, status);
        match all.iter_mut().find(is_it) {
            Some(row) => row.4 += count,
            None => all.push((series.into(), site.into(), what.into(), status, count)),
        }
    };
    for (series, site, what, status, count) in rows {
        if series == "kept" {
            add("requests", &site, &what, status, count);
            add("reads", &site, "memory", 0, count);
        } else {
            add(&series, &site, &what, status, count);
        }
    }
    all
}
