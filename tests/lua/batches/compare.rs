//! What a server holds beside what the reference says.

use std::collections::{BTreeMap, BTreeSet};

use ranking::window::Unit;

use super::boards::{Actions, Board, Fading};
use super::model::Model;
use super::{ORDERED, ROLLED};
use crate::deployment::{BOARD, Contents, Deployment, Held, sorted};

/// Every key of the targets. Of what tracked actions and ids leave behind the number is compared; what it means shows in the
/// outcomes.
#[track_caller]
pub fn keys(deployment: &Deployment, models: &[(&str, Model)], now_ms: i64) {
    let contents = deployment.contents();
    let mut known = BTreeSet::new();
    for (target, model) in models {
        let prefix = if target.is_empty() { "eb:{site}".to_owned() } else { format!("eb:{{site:{target}}}") };
        let options = deployment.site().boards[BOARD].ties.map(|ties| ties.name().to_owned());
        for ((unit, number), board) in &model.periods {
            let key = format!("{prefix}:{}:{number}", unit.name());
            known.extend(period(&contents, &key, model, *unit, *number, board));
            if let Some(ties) = options.as_ref().filter(|_| !model.rules.is_log) {
                order(&contents, &key, ties, board);
                known.insert(format!("{key}:{ties}"));
            }
            if deployment.site().boards[BOARD].ranking.name() == "dense" && !model.rules.is_log {
                known.extend(distinct(&contents, &key));
            }
        }
        for ((window, number), fading) in &model.fading {
            let key = format!("{prefix}:window:{window}:{number}");
            let is_near = close(fading, if window == "hot" { LATE } else { 1e-9 });
            is_near(&sorted(&contents, &key), &fading.sums, &key);
            let actions = read_actions(&contents, &format!("{key}:actions"));
            assert_eq!(actions.keys().collect::<Vec<_>>(), fading.actions.keys().collect::<Vec<_>>(), "{key}:actions");
            for (member, expected) in &fading.actions {
                let found = &actions[member];
                let counts =
                    |actions: &Actions<f64>| actions.iter().map(|(action, (count, _))| (action.clone(), *count)).collect::<Vec<_>>();
                assert_eq!(counts(found), counts(expected), "{key} {member}");
                let sums = |actions: &Actions<f64>| BTreeMap::from([(member.clone(), actions.values().map(|(_, sum)| sum).sum())]);
                is_near(&sums(found), &sums(expected), &format!("{key}:actions of {member}"));
            }
            known.extend([format!("{key}:actions"), key]);
        }
        known.extend(tracked(&contents, &prefix, model));
    }
    let others = contents.keys().filter(|key| !known.contains(*key));
    let unexpected: Vec<&String> = others.filter(|key| !is_internal(key, deployment)).collect();
    assert!(unexpected.is_empty(), "at {now_ms}: {unexpected:?}");
}

/// A period's board with all that goes with it. Answers the keys that may be there.
#[track_caller]
fn period(contents: &Contents, key: &str, model: &Model, unit: Unit, number: i64, board: &Board) -> Vec<String> {
    let exact = |micros: i64| {
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let float = micros as f64 / 1e6;
        float
    };
    let expected: BTreeMap<String, f64> = board.sums.iter().map(|(member, sum)| (member.clone(), exact(*sum))).collect();
    assert_eq!(sorted(contents, key), expected, "{key}");
    let actions: BTreeMap<String, Actions<f64>> = board
        .actions
        .iter()
        .map(|(member, actions)| {
            (member.clone(), actions.iter().map(|(action, (count, sum))| (action.clone(), (*count, exact(*sum)))).collect())
        })
        .collect();
    assert_eq!(read_actions(contents, &format!("{key}:actions")), actions, "{key}:actions");
    let refused = match contents.get(&format!("{key}:refused")).map(|key| &key.held) {
        None => 0,
        Some(Held::Text(text)) => text.parse().expect("a count"),
        Some(other) => panic!("{key}:refused: {other:?}"),
    };
    assert_eq!(refused, board.refused, "{key}:refused");
    let kept_s = model.rules.units.iter().find(|(known, _)| *known == unit).map_or(0, |(_, kept_s)| *kept_s);
    let until_s = model.rules.calendar.end_s(unit, number).filter(|_| kept_s > 0).map_or(-1, |end_s| end_s + kept_s);
    let of_board = [key.to_owned(), format!("{key}:actions"), format!("{key}:refused")];
    for key in &of_board {
        assert!(contents.get(key).is_none_or(|key| key.expires_at == until_s), "{key} expires at {until_s}: {:?}", contents.get(key));
    }
    of_board.into()
}

/// The order of ties: of those whose sequence number is known, and that are shown.
#[track_caller]
fn order(contents: &Contents, key: &str, ties: &str, board: &Board) {
    let standing = |member: &String| board.sequences.get(member).and_then(|sequences| sequences.last().copied());
    let rows = board.sums.iter().map(|(member, sum)| (member.clone(), *sum, standing(member)));
    check_order(contents, key, ties, rows.collect());
}

#[track_caller]
fn check_order(contents: &Contents, key: &str, ties: &str, rows: Vec<(String, i64, Option<u64>)>) {
    let index = sorted(contents, &format!("{key}:{ties}"));
    assert_eq!(index.keys().collect::<Vec<_>>(), sorted(contents, key).keys().collect::<Vec<_>>(), "{key}:{ties}");
    let mut known: Vec<(String, i64, u64)> =
        rows.into_iter().filter_map(|(member, sum, sequence)| Some((member, sum, sequence?))).filter(|(_, sum, _)| *sum > 0).collect();
    known.sort_by_key(|(_, sum, sequence)| (-sum, if ties == "first" { *sequence } else { u64::MAX - sequence }));
    let sort_keys: Vec<f64> = known.iter().map(|(member, ..)| index[member]).collect();
    assert!(sort_keys.windows(2).all(|pair| pair[0] > pair[1]), "{key}:{ties}: {known:?} have {sort_keys:?}");
    ORDERED.add(known.windows(2).filter(|pair| pair[0].1 == pair[1].1).count());
}

/// The distinct scores of a board, and how many hold each.
#[track_caller]
fn distinct(contents: &Contents, key: &str) -> [String; 2] {
    let mut holders: BTreeMap<String, u64> = BTreeMap::new();
    for score in sorted(contents, key).values() {
        *holders.entry(score.to_string()).or_default() += 1;
    }
    let number = |text: &str| text.parse::<f64>().expect("a score").to_string();
    let scores = sorted(contents, &format!("{key}:distinct"));
    assert!(scores.iter().all(|(text, score)| number(text) == score.to_string()), "{key}:distinct: {scores:?}");
    let scores: Vec<String> = scores.keys().map(|text| number(text)).collect::<BTreeSet<_>>().into_iter().collect();
    assert_eq!(scores, holders.keys().cloned().collect::<Vec<_>>(), "{key}:distinct");
    if contents.contains_key(key) {
        let Some(Held::Hash(held)) = contents.get(&format!("{key}:holders")).map(|key| &key.held) else { panic!("{key}:holders") };
        assert_eq!(held.get("\0").map(String::as_str), Some("-inf"), "{key}:holders are whole");
        let held = held.iter().filter(|(text, _)| *text != "\0");
        let held: BTreeMap<String, u64> = held.map(|(text, count)| (number(text), count.parse().expect("a count"))).collect();
        assert_eq!(held, holders, "{key}:holders");
    }
    [format!("{key}:distinct"), format!("{key}:holders")]
}

fn is_mark(member: &str) -> bool {
    member.starts_with('\0')
}

/// Marks of what counts once, records of what can be undone, and the visitors of a day, by their number.
#[track_caller]
fn tracked(contents: &Contents, prefix: &str, model: &Model) -> BTreeSet<String> {
    let under = |what: &str| {
        let prefix = format!("{prefix}:{what}:");
        contents.iter().filter(move |(key, _)| key.starts_with(&prefix)).collect::<Vec<_>>()
    };
    let size = |keys: &[(&String, &crate::deployment::Key)]| {
        let sizes = keys.iter().map(|(key, value)| match &value.held {
            Held::Hash(fields) => fields.keys().filter(|field| !is_mark(field)).count(),
            Held::Set(members) => members.iter().filter(|member| !is_mark(member)).count(),
            other => panic!("{key}: {other:?}"),
        });
        sizes.sum::<usize>()
    };
    let (records, marks, visitors) = (under("tracked"), under("once"), under("visitors"));
    assert_eq!(size(&records), model.records(), "{prefix}: {records:?}");
    assert_eq!(size(&marks), model.marks.len(), "{prefix}: {marks:?} instead of {:?}", model.marks);
    assert_eq!(size(&visitors), model.visitors(), "{prefix}: {visitors:?}");
    records.iter().chain(&marks).chain(&visitors).map(|(key, _)| (*key).clone()).collect()
}

/// Ids, salts, what is known of windows, boards of decaying windows that are no longer current, and rolling boards, which are
/// compared by themselves.
fn is_internal(key: &str, deployment: &Deployment) -> bool {
    let rest = key.split_once("}:").map_or("", |(_, rest)| rest);
    let (rolling, board) = (deployment.rolling(BOARD), &deployment.site().boards[BOARD]);
    let is_rolling = rolling.iter().any(|(window, ..)| rest.starts_with(&format!("window:{window}:")));
    let first = rest.split(':').next().unwrap_or_default();
    let of_window = rest.strip_prefix("window:").and_then(|rest| rest.split(':').next());
    let has_faded = of_window.is_some_and(|name| board.window(name).is_some_and(|window| !window.sums_weights()));
    is_rolling || has_faded || ["entries", "ids", "salt", "undone", "state", "moved", "removing", "known", "newcomers"].contains(&first)
}

/// Rolling windows that are said to be complete; after upkeep also the boards of the next period.
#[track_caller]
pub fn rolling(deployment: &Deployment, model: &Model, now_ms: i64, is_prepared: bool) {
    let contents = deployment.contents();
    let ties = deployment.site().boards[BOARD].ties.map(|ties| ties.name());
    for (window, unit, length) in deployment.rolling(BOARD) {
        let page = deployment.read(BOARD, &window, None);
        let current = model.rules.calendar.number(unit, now_ms);
        if !page.info.complete || page.info.period.number != current {
            continue;
        }
        for number in current..=current + i64::from(is_prepared) {
            let key = format!("eb:{{site:{BOARD}}}:window:{window}:{number}");
            let mut rows: BTreeMap<String, (i64, Vec<Option<u64>>)> = BTreeMap::new();
            for base in number - i64::from(length) + 1..=number {
                let Some(board) = model.periods.get(&(unit, base)) else { continue };
                for (member, sum) in &board.sums {
                    let row = rows.entry(member.clone()).or_default();
                    row.0 += sum;
                    row.1.push(board.sequences.get(member).and_then(|sequences| sequences.last().copied()));
                }
            }
            rows.retain(|_, (sum, _)| *sum != 0);
            #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
            let expected = rows.iter().map(|(member, (sum, _))| (member.clone(), *sum as f64 / 1e6)).collect::<BTreeMap<_, _>>();
            assert_eq!(sorted(&contents, &key), expected, "{key}, the current one is {current}");
            if let Some(ties) = ties {
                let latest = |sequences: Vec<Option<u64>>| {
                    sequences.iter().all(Option::is_some).then(|| sequences.into_iter().flatten().max()).flatten()
                };
                check_order(&contents, &key, ties, rows.into_iter().map(|(member, (sum, all))| (member, sum, latest(all))).collect());
            }
            ROLLED.add(usize::from(!expected.is_empty()));
        }
        let positive =
            sorted(&contents, &format!("eb:{{site:{BOARD}}}:window:{window}:{current}")).into_values().filter(|score| *score > 0.0);
        assert_eq!(page.entries.len(), positive.count(), "{window}");
    }
}

fn read_actions(contents: &Contents, key: &str) -> BTreeMap<String, Actions<f64>> {
    let fields = match contents.get(key).map(|key| &key.held) {
        None => return BTreeMap::new(),
        Some(Held::Hash(fields)) => fields,
        Some(other) => panic!("{key}: {other:?}"),
    };
    let read = |message: &String| {
        let words: Vec<&str> = message.split(' ').collect();
        let action = |words: &[&str]| (words[0].to_owned(), (words[1].parse().expect("a count"), words[2].parse().expect("a sum")));
        words.chunks(3).map(action).collect::<Actions<f64>>()
    };
    fields.iter().filter(|(member, _)| !is_mark(member)).map(|(member, message)| (member.clone(), read(message))).collect()
}

/// What [`super::LATEST_MS`] change of a score with a half-life of six hours.
const LATE: f64 = 3e-5;

/// A comparison of scores by member that allows so much of the greatest value that was ever added for a member.
fn close(fading: &Fading, bound: f64) -> impl Fn(&BTreeMap<String, f64>, &BTreeMap<String, f64>, &str) {
    move |found, expected, what| {
        for member in found.keys().chain(expected.keys()) {
            let of = |scores: &BTreeMap<String, f64>| scores.get(member).copied().unwrap_or(0.0);
            let (one, other) = (of(found), of(expected));
            let near = (one - other).abs() <= bound * fading.greatest.get(member).copied().unwrap_or(0.0);
            assert!(near, "{what}: {member} has {one} instead of {other}");
        }
    }
}
