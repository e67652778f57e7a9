//! Steps of the clock at hard boundaries, with upkeep before, between and after.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike};
use ranking::window::Unit;
use serde_json::{Value as Json, json};

use super::{BOARD, DAY_MS, Deployment, HOUR_MS, MINUTE_MS, SECOND_MS, base_key, check_all, repair, site, sorted, view};
use crate::call::{NOON_MS, unix_s};
use crate::cases::{self, Counter};
use crate::support::zones;

/// A zone, and the first instant of a period.
const BOUNDARIES: [(&str, &str); 9] = [
    ("America/Sao_Paulo", "2018-03-01T03:00:00Z"),   // a month
    ("America/Sao_Paulo", "2018-11-04T03:00:00Z"),   // a day that begins at one o'clock
    ("America/Sao_Paulo", "2018-02-18T03:00:00Z"),   // a day after an hour that was twice
    ("Asia/Kathmandu", "2026-03-31T18:15:00Z"),      // an hour at a quarter, and a month
    ("Europe/London", "2026-03-29T01:00:00Z"),       // an hour that is left out
    ("Europe/London", "2026-10-25T01:00:00Z"),       // an hour that is repeated
    ("UTC", "2028-02-29T00:00:00Z"),                 // a leap day
    ("Australia/Lord_Howe", "2026-10-03T15:30:00Z"), // half an hour that is left out
    ("Pacific/Apia", "2011-12-30T10:00:00Z"),        // a day that is left out
];

#[derive(Clone, Copy, Debug)]
enum Step {
    Back(i64),
    /// For three seconds.
    Ahead(i64),
}

const STEPS: [Step; 6] = [
    Step::Back(2 * SECOND_MS),
    Step::Back(HOUR_MS),
    Step::Back(DAY_MS),
    Step::Back(40 * DAY_MS),
    Step::Ahead(5 * DAY_MS),
    Step::Ahead(400 * DAY_MS),
];

static RIGHT: Counter = Counter::new("scenarios");

/// Views of some members of a crowd, by twos of a batch and one by one.
fn clicks(deployment: &Deployment, turn: i64) {
    let members = (0..44).filter(|member| (member * 7 + turn) % 5 < 2);
    let views: Vec<Json> = members.map(|member| view(member, 0)).collect();
    let (single, batch) = views.split_at(2);
    for event in single {
        deployment.put(std::slice::from_ref(event));
    }
    deployment.put(batch);
}

/// A crowd on the two months before.
fn fill(deployment: &Deployment) {
    let late = |turn: i64| {
        let ago_ms = [MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 20 * HOUR_MS, DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 8 * DAY_MS, 20 * DAY_MS, 45 * DAY_MS];
        (0..44).map(move |member| view(member, ago_ms[usize::try_from((member + turn) % 10).expect("small")]))
    };
    let views: Vec<Json> = late(0).chain(late(3)).collect();
    deployment.put(&views);
}

/// `upkeep` says at which of three times it is done.
fn play(deployment: &Deployment, boundary_ms: i64, step: Step, upkeep: [bool; 3]) {
    let what = |when: &str| format!("{when}: {step:?}, upkeep {upkeep:?}");
    let after = |when: &str| {
        clicks(deployment, 1);
        check_all(deployment, &what(when));
    };
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(boundary_ms - 20 * SECOND_MS);
    fill(deployment);
    deployment.upkeep(BOARD);
    check_all(deployment, &what("before"));
    if let Step::Ahead(ms) = step {
        deployment.advance(ms);
        after("ahead");
        if upkeep[0] {
            deployment.upkeep(BOARD);
        }
        after("ahead, again");
        deployment.server.clock.set(boundary_ms - 10 * SECOND_MS);
        check_all(deployment, &what("back"));
        after("back, and clicks");
        if upkeep[1] {
            deployment.upkeep(BOARD);
        }
        deployment.server.clock.set(boundary_ms + SECOND_MS);
    } else {
        deployment.server.clock.set(boundary_ms + SECOND_MS);
        after("over the boundary");
        if upkeep[0] {
            deployment.upkeep(BOARD);
        }
    }
    check_all(deployment, &what("at the boundary"));
    if let Step::Back(ms) = step {
        deployment.advance(-ms);
        check_all(deployment, &what("stepped back"));
        after("stepped back, and clicks");
        if upkeep[1] {
            deployment.upkeep(BOARD);
        }
        after("stepped back, later");
        deployment.server.clock.set(boundary_ms + 10 * SECOND_MS);
    }
    after("over the boundary again");
    if upkeep[2] {
        deployment.upkeep(BOARD);
    }
    // On the next day whatever was prepared shows.
    deployment.server.clock.set(boundary_ms + DAY_MS + MINUTE_MS);
    after("the next day");
    repair(deployment, &what("at the end"));
    RIGHT.add(1);
}

#[test]
#[ignore = "long: npm test -- --engines"]
fn steps_at_hard_boundaries() {
    for (timezone, boundary) in BOUNDARIES {
        let deployment = Deployment::start(&site(timezone), NOON_MS);
        for step in STEPS {
            // Bits: before, between and after. A build waits for half of them.
            let all = [0b001, 0b010, 0b100, 0b111, 0b000, 0b011, 0b101, 0b110];
            for times in &all[..if cases::number(1) > 1 { 8 } else { 4 }] {
                play(&deployment, unix_s(boundary) * 1000, step, [times & 1 > 0, times & 2 > 0, times & 4 > 0]);
            }
        }
    }
    RIGHT.assert_above(9 * 6 * 4 - 1);
}

/// After three seconds ahead, clicks land in the month and year that it is; so they do after a step back.
#[test]
fn clicks_land_in_the_true_periods() {
    for (timezone, boundary) in BOUNDARIES {
        let zone = zones::parse(timezone).expect("a zone");
        let deployment = Deployment::start(&site(timezone), NOON_MS);
        for wrong_ms in [21 * DAY_MS, 400 * DAY_MS, -40 * DAY_MS] {
            for upkeep in [false, true] {
                deployment.server.command(&["FLUSHALL"]);
                let true_ms = unix_s(boundary) * 1000 - MINUTE_MS - 30 * SECOND_MS;
                deployment.server.clock.set(true_ms);
                fill(&deployment);
                deployment.advance(wrong_ms);
                deployment.put(&[view("wrong", 0)]);
                if upkeep {
                    deployment.upkeep(BOARD);
                }
                deployment.server.clock.set(true_ms + 3 * SECOND_MS);
                deployment.put(&[view("true", 0)]);
                deployment.put(&[view("true", 0), view("true", 1)]);
                let local = DateTime::from_timestamp(true_ms / 1000, 0).expect("an instant").with_timezone(&zone);
                let month = i64::from(local.year()) * 12 + i64::from(local.month0());
                let contents = deployment.contents();
                for (unit, number) in [(Unit::Month, month), (Unit::Year, local.year().into())] {
                    let held = sorted(&contents, &base_key(unit, number));
                    assert_eq!(held.get("mtrue"), Some(&3.0), "{timezone} {boundary} {wrong_ms} {unit:?}: {held:?}");
                }
                let shown = |window: &str| {
                    let page = deployment.read(BOARD, window, None);
                    let entries = page.entries.into_iter().map(|entry| (entry.id.as_str().to_owned(), entry.score.value()));
                    entries.collect::<BTreeMap<_, _>>().remove("mtrue")
                };
                for window in ["hour", "day", "week", "month", "year"] {
                    assert_eq!(shown(window), Some(3.0), "{timezone} {boundary} {wrong_ms}: what {window} shows");
                }
                repair(&deployment, &json!([timezone, boundary, wrong_ms]).to_string());
            }
        }
    }
}
